"""A run of clients that order and shops that reply, of any length, with faults that rules find."""

import json

MEMBERS = 16
BATCH = 50  # orders on their way at a time

# BY_ORDER are rules of many keys of few events, BY_SHOP of few keys, one of which has 60 % of the events.
BY_ORDER = """
rule one-price: unique e.price per e.order over send(type = "REPLY")
rule asked-for: each s: send(type = "REPLY") was preceded by r: receive(type = "REQUEST", order = s.order)
rule answered: each s: send(type = "REQUEST") leads to r: receive(type = "REPLY", order = s.order) within 1ms
rule answered-at-all: each s: send(type = "REQUEST") leads to r: receive(type = "REPLY", order = s.order)
rule one-reply: at most 1 send(type = "REPLY") per order
rule no-gift: never r: receive(type = "REPLY") where r.price < 0
rule sent: each r: receive was preceded by s: send(message = r.message)
"""
BY_SHOP = """
rule counts-up: monotone e.order per e.shop over send(type = "REPLY")
rule one-currency: unique e.currency per e.shop over send(type = "REPLY")
rule open: each s: send(type = "REPLY") was preceded by r: receive(type = "REQUEST", shop = s.shop)
rule not-more: at most 1000 r: receive(type = "REPLY") per shop
"""


def write(path, events):
    """Writes a run of that many events, or a few more, as JSON Lines, and returns how many they are."""
    with open(path, "w", encoding="utf-8") as file:
        members = [{"name": f"n{i}", "position": i} for i in range(1, MEMBERS + 1)]
        print(json.dumps({"format": "etrace/1", "time_unit": "ns", "complete": {"default": "all"}, "members": members}), file=file)
        count = 0
        for event in run(events):
            count += 1
            file.write(f'{{"seq":{count},"time":{count * 1000},{event}}}\n')
        print(json.dumps({"end": "stopped", "events": count}), file=file)
    return count


def run(events):
    """The events of batches of orders, each with its kind, process and what else it says."""
    written, order = 0, 0
    while written < events:
        for event in batch(order):
            written += 1
            yield event
        order += BATCH


def batch(first):
    """A batch of orders: requests go out, arrive in another order, and so do replies. Some go wrong."""
    orders = [first + i for i in range(BATCH)]
    arriving = [first + i * 7 % BATCH for i in range(BATCH)]
    for o in orders:
        yield message("send", "REQUEST", o)
    for o in arriving:
        yield message("receive", "REQUEST", o)
    for o in orders:
        yield message("send", "REPLY", o)
        if o % 90_000 == 4_005:  # a second reply, at another price
            yield message("send", "REPLY", o, number=4 * o + 2, price=1)
        if o % 110_000 == 2_003:  # the reply to an order that was never placed, before the others of its shop
            yield message("send", "REPLY", o, number=4 * o + 3, order=-o, currency="£")
    for o in arriving:
        if o % 70_000 != 3_011:  # else the reply is lost
            yield message("receive", "REPLY", o, price=-1 if o % 130_000 == 1_007 else None)


def message(kind, name, o, number=None, order=None, price=None, currency="€"):
    """An event of an order."""
    client, shop = f"n{o % 8 + 1}", f"n{o // 8 % 8 + 9}"
    sender, receiver = (client, shop) if name == "REQUEST" else (shop, client)
    own, peer = (sender, receiver) if kind == "send" else (receiver, sender)
    payload = {"order": o if order is None else order, "shop": "main" if o % 5 < 3 else f"shop-{o % 4999}"}
    if name == "REPLY":
        payload |= {"price": o % 97 + 2 if price is None else price, "currency": currency}
    number = 4 * o + (1 if name == "REQUEST" else 4) if number is None else number
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return f'"process":"{own}","kind":"{kind}","type":"{name}","peer":"{peer}","message":{number},"payload":{text}'
