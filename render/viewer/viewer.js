// The explorable view of a run: draws the events that fit the window from the data in the page, and nothing else.
// Texts of the run become text nodes only, never markup.

let run; // what is shown, see show
const byId = (id) => document.getElementById(id);
const svgNS = "http://www.w3.org/2000/svg";

// ---- Events. They are in chunks, each a gzipped JSON object of columns, decoded when they are first looked at.

const chunks = new Map(); // by number: a promise of a list of events
const keptChunks = 96;

async function inflate(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

function chunk(number) {
  let found = chunks.get(number);
  if (found) {
    chunks.delete(number); // the map keeps the order of use: the first one is dropped first
  } else {
    found = inflate(run.chunks[number]).then((columns) => rows(columns, number * run.chunkSize));
    if (chunks.size >= keptChunks) chunks.delete(chunks.keys().next().value);
  }
  chunks.set(number, found);
  return found;
}

// rows makes events of columns. An event is at a place, from 0; other is the place of the other end of its message,
// -1 for none.
function rows(c, first) {
  let time = c.start;
  const hidden = new Set(c.hidden);
  return c.time.map((delta, i) => {
    time += delta;
    const place = first + i;
    return {
      place, time, seq: c.seq ? c.seq[i] : run.firstSeq + place, kind: run.kinds[c.kind[i]],
      process: c.process[i], peer: c.peer[i], type: c.types[c.type[i]],
      other: c.other[i] ? place + c.other[i] : -1, payload: c.payload[i] || "", hidden: hidden.has(i),
    };
  });
}

async function event(place) {
  return (await chunk(Math.floor(place / run.chunkSize)))[place % run.chunkSize];
}

// ---- State of the processes, folded over the events; what each chunk begins with is kept.

let checkpoints = [new Map()]; // by chunk: process -> {down, vars}
let flightsAt = [new Map()]; // by chunk: place of a send -> the send

function apply(states, flights, e) {
  const before = states.get(e.process) || { down: false, vars: {} };
  switch (e.kind) {
    case "crash": case "halt":
      states.set(e.process, { down: true, vars: before.vars });
      break;
    case "start": case "recover":
      states.set(e.process, { down: false, vars: parsed(e.payload) });
      break;
    case "state":
      states.set(e.process, { down: before.down, vars: { ...before.vars, ...parsed(e.payload) } });
      break;
    case "send":
      if (e.other >= 0) flights.set(e.place, e);
      break;
    case "receive": case "lose":
      flights.delete(e.other);
  }
}

// read keeps the digits of numbers that JavaScript cannot hold.
const read = (json) => JSON.parse(json, (key, value, context) =>
  (typeof value === "number" && context && String(value) !== context.source ? context.source : value));

function parsed(payload) {
  if (!payload) return {};
  const vars = read(payload);
  for (const key of ["log", "causes", "content", "inferred", "stated"]) delete vars[key];
  return vars;
}

// stateAt returns the states and the messages in flight before the event at a place.
async function stateAt(place) {
  const last = Math.floor(place / run.chunkSize);
  for (let n = checkpoints.length - 1; n < last; n++) {
    const states = new Map(checkpoints[n]), flights = new Map(flightsAt[n]);
    for (const e of await chunk(n)) apply(states, flights, e);
    checkpoints.push(states);
    flightsAt.push(flights);
    if (n % 16 === 15) progress(`Reading events: ${Math.round((100 * n) / last)} %`);
  }
  const states = new Map(checkpoints[last]), flights = new Map(flightsAt[last]);
  if (place % run.chunkSize > 0) {
    for (const e of (await chunk(last)).slice(0, place % run.chunkSize)) apply(states, flights, e);
  }
  return { states, flights };
}

function leads(process, state) {
  const { role, elected } = state.vars;
  return !state.down && (role === "leader" || (elected != null && String(elected) === run.processes[process]));
}

// ---- What is shown.

const view = {
  cursor: 0, top: 0, left: 0, rowHeight: 26, hiddenProcesses: new Set(), hiddenKinds: new Set(), grouped: false,
  shown: null, // the places of the rows, null for all
  marks: [], past: null, matches: [], match: -1,
  everything: false, // also what the command left out
  acting: false, // only the processes with events in the window have columns
};
const widestLabel = 320;
const headHeight = 34, axisWidth = 92, narrowest = 96;

const rowCount = () => (view.shown ? view.shown.length : run.events);
const placeOf = (row) => (view.shown ? view.shown[row] : row);

// rowOf returns the row of a place, or of the next one that is shown; exact is false then.
function rowOf(place) {
  if (!view.shown) return { row: place, exact: place >= 0 };
  let low = 0, high = view.shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (view.shown[middle] < place) low = middle + 1; else high = middle;
  }
  return { row: low, exact: view.shown[low] === place };
}

// groupName is the group of a process: by the attribute of the members that the command named, else its name without a number.
const groupName = (p) => (run.groups ? run.groups[p] : run.processes[p].replace(/[-_.:]?\d+$/, "") || run.processes[p]);

// columns returns the names at the heads and the column of each process; a hidden process has none.
function columns(events) {
  const heads = [], of = new Map(), byName = new Map();
  const acting = new Set(events.flatMap(([, e]) => [e.process, e.peer]));
  for (const p of run.order || run.processes.keys()) {
    if (p === 0 || view.hiddenProcesses.has(p) || (view.acting && !acting.has(p))) continue;
    const name = view.grouped ? groupName(p) : run.processes[p];
    const key = view.grouped ? name : p;
    if (!byName.has(key)) byName.set(key, heads.push(name) - 1);
    of.set(p, byName.get(key));
  }
  return { heads, of };
}

let filtering = 0; // the number of the last filter; an older one stops

// filter finds the rows that are shown.
async function filter() {
  const mine = ++filtering;
  const here = placeOf(view.cursor);
  const less = run.leftOut && !view.everything;
  if (view.hiddenProcesses.size + view.hiddenKinds.size === 0 && !less) {
    view.shown = null;
  } else {
    const places = [];
    for (let n = 0; n < run.chunks.length; n++) {
      for (const e of await chunk(n)) {
        if (mine !== filtering) return;
        const hidden = view.hiddenKinds.has(labelOf(e)) || view.hiddenProcesses.has(e.process) || (less && e.hidden);
        if (!hidden) places.push(e.place);
      }
      if (n % 16 === 15) progress(`Hiding events: ${Math.round((100 * n) / run.chunks.length)} %`);
    }
    view.shown = places;
  }
  progress("");
  return select(Math.max(0, Math.min(rowOf(here).row, rowCount() - 1)));
}

// labelOf is the name by which an event is hidden: the type of a message, else the kind.
const labelOf = (e) => (["send", "receive", "lose"].includes(e.kind) && e.type) || e.kind;

// ---- Words.

const nameOf = (p) => (p ? run.processes[p] : "");

function timeText(time) {
  return run.unit === "ns" ? seconds(time) : "t = " + plainNumber(time / 1e9);
}

// rowText is the text at the left of an event: its time, or its number in a recording that has logical clocks in place of times.
const rowText = (e) => (run.unit === "logical" ? `event ${e.seq}` : timeText(e.time));

function seconds(ns) {
  return (ns / 1e9).toFixed(6).replace(/0{1,3}$/, "") + " s";
}

const plainNumber = (x) => String(Math.round(x * 1e6) / 1e6);

function valueText(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const valuesText = (values) => Object.entries(values).map(([key, value]) => `${key} = ${valueText(value)}`).join(", ");

// valuesOf are the values of an event's payload. The time at which a timer is due has the unit of the other times.
function valuesOf(e, all = parsed(e.payload)) {
  const timer = e.kind.includes("timer") || e.kind === "timeout";
  return timer && typeof all.due === "number" && run.unit === "delay" ? { ...all, due: all.due / 1e9 } : all;
}

const payloadText = (e) => valuesText(valuesOf(e));

// inferred reports whether an import has chosen the send of an arriving message among several.
const inferred = (e) => e.payload.includes('"guess":true') && read(e.payload).log?.guess === true;

// words describes an event in a line.
function words(e) {
  const message = e.type ? " " + e.type : "";
  const details = payloadText(e);
  const before = { send: " to ", receive: " from ", lose: " from ", suspect: " ", trust: " " }[e.kind];
  const peer = before && e.peer ? before + nameOf(e.peer) : "";
  const sent = inferred(e) ? " (its send is inferred)" : "";
  const time = run.unit === "logical" ? "" : timeText(e.time) + ", ";
  const event = `${time}event ${e.seq}: ${nameOf(e.process)} ${e.kind}${message}${peer}${sent}`;
  return details ? `${event}, ${details}` : event;
}

// label is the short text at an event's mark.
function label(e) {
  switch (e.kind) {
    case "send": case "receive": return "";
    case "lose": return "lost";
    case "state": return payloadText(e);
    case "suspect": case "trust": return `${e.kind} ${nameOf(e.peer)}`;
    default: return `${e.kind === "note" ? "" : e.kind + " "}${e.type} ${payloadText(e)}`;
  }
}

// ---- Drawing.

const picture = byId("etrace-picture");

function shape(parent, name, attributes, text) {
  const element = document.createElementNS(svgNS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

const hues = ["#1f5fa8", "#a8431f", "#2e7d32", "#6a3fa0", "#8a6d00", "#00707a", "#a02060", "#555555"];

function hue(type) {
  let sum = 0;
  for (let i = 0; i < type.length; i++) sum = (sum * 31 + type.charCodeAt(i)) >>> 0;
  return hues[sum % hues.length];
}

// fit shortens a text to a width; a letter takes 6.6 pixels in the mean.
function fit(text, width) {
  const most = Math.floor(width / 6.6);
  return text.length <= most ? text : text.slice(0, Math.max(1, most - 1)) + "…";
}

let drawing = 0; // the number of the last drawing; an older one stops

async function draw() {
  const mine = ++drawing;
  const width = picture.clientWidth, height = picture.clientHeight;
  const count = Math.ceil((height - headHeight) / view.rowHeight) + 1;
  view.top = Math.max(0, Math.min(view.top, rowCount() - 1 - page())); // no empty rows behind the last one
  const events = [];
  for (let row = view.top; row < Math.min(view.top + count, rowCount()); row++) {
    events.push([row, await event(placeOf(row))]);
  }
  const { states, flights } = await stateAt(rowCount() ? placeOf(view.top) : 0);
  if (mine !== drawing) return;

  const { heads, of } = columns(events);
  const step = Math.max(narrowest, (width - axisWidth - 60) / Math.max(heads.length, 1));
  const mostLeft = Math.max(0, heads.length * step + axisWidth + 60 - width);
  view.left = Math.max(0, Math.min(view.left, mostLeft));
  const chosen = events.find(([row]) => row === view.cursor);
  if (view.bringIn && chosen && of.has(chosen[1].process)) {
    const middle = of.get(chosen[1].process) * step + step / 2, room = width - axisWidth;
    if (middle < view.left || middle > view.left + room - step / 2) {
      view.left = Math.max(0, Math.min(mostLeft, middle - room / 2));
    }
  }
  view.bringIn = false;
  const x = (process) => axisWidth + step / 2 + of.get(process) * step - view.left;
  const y = (row) => headHeight + (row - view.top + 0.5) * view.rowHeight;

  const root = document.createElementNS(svgNS, "svg");
  root.setAttribute("width", width);
  root.setAttribute("height", height);
  root.setAttribute("aria-hidden", "true"); // the status line reads the chosen event
  const clip = shape(shape(root, "defs", {}), "clipPath", { id: "etrace-body" });
  shape(clip, "rect", { x: 0, y: headHeight, width, height: height - headHeight });
  const body = shape(root, "g", { "clip-path": "url(#etrace-body)" });
  const bottom = y(view.top + events.length - 0.5);

  if (chosen) {
    const top = y(view.cursor) - view.rowHeight / 2;
    shape(body, "rect", { x: 0, y: top, width, height: view.rowHeight, class: "chosen" });
  }
  drawLifelines(body, events, states, of, x, y, bottom);
  drawMessages(body, events, flights, of, x, y);
  drawEvents(body, events, of, x, y, width);
  heads.forEach((name, i) => {
    const middle = axisWidth + step / 2 + i * step - view.left;
    shape(root, "text", { x: middle, y: 21, class: "head" }, fit(name, step - 6));
  });
  picture.replaceChildren(root);
  const idle = run.processes.length - 1 - of.size;
  const remarks = [];
  if (idle) remarks.push(`${idle.toLocaleString("en")} processes not shown`);
  if (mostLeft > 0) remarks.push("← and → show more columns");
  byId("etrace-left-out").textContent = remarks.join("; ");
  drawOverview();
}

function drawLifelines(body, events, states, of, x, y, bottom) {
  const since = new Map();
  const line = (process, from, to, state) => {
    if (!of.has(process) || to <= from) return;
    const kind = state.down ? "down" : leads(process, state) ? "leader" : "up";
    shape(body, "line", { x1: x(process), x2: x(process), y1: from, y2: to, class: kind });
  };
  const current = new Map(states);
  for (const process of of.keys()) {
    since.set(process, headHeight);
    if (!current.has(process)) current.set(process, { down: false, vars: {} });
  }
  for (const [row, e] of events) {
    if (!["crash", "halt", "start", "recover", "state"].includes(e.kind) || !of.has(e.process)) continue;
    line(e.process, since.get(e.process), y(row), current.get(e.process));
    since.set(e.process, y(row));
    apply(current, new Map(), e);
  }
  for (const [process, from] of since) line(process, from, bottom, current.get(process));
}

const cross = (x, y) => `M${x - 5},${y - 5}l10,10m0,-10l-10,10`;

function drawMessages(body, events, flights, of, x, y) {
  const drawn = new Set();
  const arrow = (send, from, to, end, style, text, faint) => {
    if (!of.has(from) || !of.has(to)) return;
    const [x1, y1, x2, y2] = [x(from), send, x(to), end];
    const color = hue(text);
    const group = shape(body, "g", { class: style + (faint ? " faint" : ""), stroke: color, fill: color });
    if (from === to || of.get(from) === of.get(to)) {
      shape(group, "path", { d: `M${x1},${y1}C${x1 + 40},${y1} ${x1 + 40},${y2} ${x2 + 6},${y2}`, fill: "none" });
    } else {
      shape(group, "line", { x1, y1, x2, y2 });
    }
    const angle = Math.atan2(y2 - y1, x1 === x2 ? -1 : x2 - x1);
    const tip = (turn) => `${x2 - 9 * Math.cos(angle + turn)},${y2 - 9 * Math.sin(angle + turn)}`;
    if (style === "lost") shape(group, "path", { d: cross(x2, y2) });
    else shape(group, "polygon", { points: `${x2},${y2} ${tip(0.4)} ${tip(-0.4)}`, stroke: "none" });
    return { group, x: (x1 + x2) / 2, y: (Math.max(y1, headHeight) + y2) / 2 };
  };
  const name = (place, text) => {
    if (!place || view.rowHeight < 14) return;
    shape(place.group, "text", { x: place.x, y: place.y - 3, class: "type" }, text);
  };
  for (const [row, e] of events) {
    if (e.kind === "receive" || e.kind === "lose") {
      // The send may be before the window, or not recorded.
      const from = e.other >= 0 ? rowOf(e.other) : { exact: false };
      drawn.add(e.other);
      const sent = from.exact ? y(from.row) : y(row) - 14, arrived = from.exact ? "message" : "open";
      const style = e.kind === "lose" ? "lost" : arrived;
      name(arrow(sent, e.peer, e.process, y(row), style, e.type, faded(e)), e.type + (inferred(e) ? " ?" : ""));
    }
  }
  for (const [row, e] of events) {
    if (e.kind !== "send" || drawn.has(e.place)) continue;
    drawn.add(e.place);
    const to = e.other >= 0 ? rowOf(e.other) : { exact: false };
    const end = to.exact ? y(to.row) : y(row) + 14, style = to.exact ? "message" : "open";
    name(arrow(y(row), e.process, e.peer, end, style, e.type, faded(e)), e.type);
  }
  // Messages that are sent above the window and received below it; more than these would hide the rest.
  let crossing = 0;
  for (const [place, e] of flights) {
    const to = rowOf(e.other);
    if (drawn.has(place) || !to.exact || ++crossing > 300) continue;
    const from = rowOf(place);
    if (from.exact) arrow(y(from.row), e.process, e.peer, y(to.row), "message", e.type, faded(e));
  }
}

// faded reports whether an event is neither marked nor in the causal past that is shown.
function faded(e) {
  if (view.past) return !(e.place <= (view.past.get(e.process) ?? -1));
  return view.marks.length > 0 && !view.marks.includes(e.place) && !view.marks.includes(e.other);
}

function drawEvents(body, events, of, x, y, width) {
  let lastText = null;
  for (const [row, e] of events) {
    const text = rowText(e);
    if (text !== lastText) shape(body, "text", { x: 6, y: y(row) + 4, class: "time" }, text);
    lastText = text;
    const group = shape(body, "g", { class: "event" + (faded(e) ? " faint" : ""), "data-place": e.place });
    shape(group, "rect", { x: 0, y: y(row) - view.rowHeight / 2, width, height: view.rowHeight, class: "hit" });
    if (!e.process) {
      shape(group, "line", { x1: axisWidth, x2: width, y1: y(row), y2: y(row), class: "network" });
      shape(group, "text", { x: axisWidth + 4, y: y(row) - 3, class: "label" }, fit(label(e), width - axisWidth));
      continue;
    }
    if (!of.has(e.process)) continue;
    const middle = x(e.process), mark = view.marks.indexOf(e.place);
    if (mark >= 0) shape(group, "circle", { cx: middle, cy: y(row), r: 9, class: "mark" });
    const small = e.kind === "send" || e.kind === "receive";
    if (e.kind === "crash" || e.kind === "halt") shape(group, "path", { d: cross(middle, y(row)), class: "crash" });
    else shape(group, "circle", { cx: middle, cy: y(row), r: small ? 2 : 4, class: "dot " + e.kind });
    if (view.rowHeight >= 14) {
      // A row has one event, so that its label may cross the lifelines.
      const room = Math.min(width - middle - 12, widestLabel);
      shape(group, "text", { x: middle + (mark < 0 ? 9 : 13), y: y(row) + 4, class: "label" }, fit(label(e), room));
    }
  }
}

// The overview shows the whole run, a bar for each stretch: messages in grey, faults in red, what is marked in gold.
const overview = byId("etrace-overview");

function drawOverview() {
  const width = overview.clientWidth, height = overview.clientHeight;
  const root = document.createElementNS(svgNS, "svg");
  root.setAttribute("width", width);
  root.setAttribute("height", height);
  root.setAttribute("aria-hidden", "true");
  const bars = run.overview, size = height / bars.length;
  const most = Math.max(1, ...bars.map(([messages]) => messages));
  bars.forEach(([messages, faults], i) => {
    shape(root, "rect", { x: 0, y: i * size, width: (messages / most) * width * 0.8, height: size, class: "messages" });
    const fault = { x: width * 0.8, y: i * size, width: width * 0.2, height: Math.max(size, 2), class: "faults" };
    if (faults) shape(root, "rect", fault);
  });
  const at = (place) => (place / Math.max(run.events, 1)) * height;
  for (const place of view.marks.concat(view.matches.slice(0, 500))) {
    shape(root, "rect", { x: 0, y: at(place), width, height: 2, class: "marked" });
  }
  if (rowCount()) {
    const end = Math.min(rowCount() - 1, view.top + Math.floor((picture.clientHeight - headHeight) / view.rowHeight));
    const from = at(placeOf(view.top)), tall = Math.max(4, at(placeOf(end) + 1) - from);
    shape(root, "rect", { x: 0.5, y: from, width: width - 1, height: tall, class: "window" });
  }
  overview.replaceChildren(root);
}

// ---- Steps, and what is said of them.

const progress = (text) => { byId("etrace-progress").textContent = text; };

function select(row) {
  if (!rowCount()) {
    byId("etrace-status").textContent = "No event is shown.";
    return draw();
  }
  view.cursor = Math.max(0, Math.min(row, rowCount() - 1));
  const fits = Math.max(1, Math.floor((picture.clientHeight - headHeight) / view.rowHeight) - 1);
  if (view.cursor < view.top) view.top = view.cursor;
  if (view.cursor >= view.top + fits) view.top = view.cursor - fits + 1;
  view.bringIn = true; // its column, too
  describe();
  return draw();
}

function item(list, term, text) {
  const name = document.createElement("dt"), value = document.createElement("dd");
  name.textContent = term;
  value.textContent = text;
  list.append(name, value);
}

async function describe() {
  const e = await event(placeOf(view.cursor));
  const hidden = run.events - rowCount();
  byId("etrace-status").textContent = words(e) + (hidden ? ` (${hidden.toLocaleString("en")} events not shown)` : "");
  const details = document.createElement("dl");
  item(details, "event", `${e.seq} of ${run.events.toLocaleString("en")}`);
  if (run.unit === "logical") item(details, "logical time", String(e.time % 1e9 ? e.time : e.time / 1e9));
  else item(details, "time", timeText(e.time));
  item(details, "kind", e.kind);
  if (e.process) item(details, "process", nameOf(e.process));
  const role = { send: "receiver", receive: "sender", lose: "sender" }[e.kind] || "peer";
  if (e.peer) item(details, role, nameOf(e.peer));
  if (e.type) item(details, "type", e.type);
  const end = e.kind === "send" ? "ends at event" : "sent at event";
  if (e.other >= 0) item(details, end, String((await event(e.other)).seq));
  for (const [key, value] of Object.entries(e.payload ? valuesOf(e, read(e.payload)) : {})) {
    if (key === "log" && value && value.text !== undefined) {
      item(details, "line", value.text);
      if (value.file !== undefined) item(details, "of", `${value.file}:${value.line}`);
    } else {
      item(details, key, valueText(value));
    }
  }
  byId("etrace-details").replaceChildren(details);
  document.dispatchEvent(new CustomEvent("etrace-chosen", { detail: e }));
  const { states } = await stateAt(e.place);
  const after = new Map(states);
  apply(after, new Map(), e);
  const table = document.createElement("dl");
  for (let p = 1; p < run.processes.length && table.childElementCount < 400; p++) {
    const state = after.get(p);
    if (!state || view.hiddenProcesses.has(p)) continue;
    const vars = valuesText(state.vars);
    item(table, run.processes[p], [state.down ? "down" : "", vars].filter(Boolean).join("; ") || "up");
  }
  byId("etrace-state").replaceChildren(table);
}

// showPast marks what happened before the chosen event: of each process the events up to its last one that could
// have caused it. It looks back as far as the window and no further.
async function showPast() {
  if (view.past) {
    view.past = null;
    return draw();
  }
  const last = await event(placeOf(view.cursor));
  view.past = new Map([[last.process, last.place]]);
  const from = Math.max(0, placeOf(view.top) - 2000);
  for (let place = last.place; place >= from; place--) {
    const e = await event(place);
    if (!(place <= (view.past.get(e.process) ?? -1))) continue;
    if ((e.kind === "receive" || e.kind === "lose") && e.other >= 0) {
      view.past.set(e.peer, Math.max(view.past.get(e.peer) ?? -1, e.other));
    }
    for (const cause of parsedCauses(e)) {
      const c = await event(cause - run.firstSeq);
      if (c) view.past.set(c.process, Math.max(view.past.get(c.process) ?? -1, c.place));
    }
  }
  return draw();
}

const parsedCauses = (e) => (e.payload.includes('"causes"') ? JSON.parse(e.payload).causes || [] : []);

// search finds the events whose line contains all words, and goes to the first one from here on.
let searching = 0;

async function search(text) {
  const mine = ++searching;
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  view.matches = [];
  view.match = -1;
  if (wanted.length) {
    for (let n = 0; n < run.chunks.length; n++) {
      for (const e of await chunk(n)) {
        const line = words(e).toLowerCase();
        if (wanted.every((w) => line.includes(w))) view.matches.push(e.place);
      }
      if (mine !== searching) return;
      if (n % 16 === 15) progress(`Searching: ${Math.round((100 * n) / run.chunks.length)} %`);
    }
  }
  progress("");
  const here = rowCount() ? placeOf(view.cursor) : 0;
  const next = view.matches.findIndex((place) => place >= here);
  if (view.matches.length) {
    goMatch(Math.max(next, 0));
  } else {
    byId("etrace-found").textContent = wanted.length ? "not found" : "";
    draw();
  }
}

function goMatch(number) {
  view.match = (number + view.matches.length) % view.matches.length;
  byId("etrace-found").textContent = `${view.match + 1} of ${view.matches.length}`;
  select(rowOf(view.matches[view.match]).row);
}

function zoom(factor) {
  view.rowHeight = Math.max(4, Math.min(80, view.rowHeight * factor));
  select(view.cursor);
}

function clear() {
  view.past = null;
  view.marks = [];
  draw();
}

const page = () => Math.max(1, Math.floor((picture.clientHeight - headHeight) / view.rowHeight) - 2);

const keys = {
  ArrowDown: () => select(view.cursor + 1), j: () => select(view.cursor + 1),
  ArrowUp: () => select(view.cursor - 1), k: () => select(view.cursor - 1),
  ArrowRight: () => { view.left += 80; draw(); }, ArrowLeft: () => { view.left -= 80; draw(); },
  PageDown: () => select(view.cursor + page()), PageUp: () => select(view.cursor - page()),
  Home: () => select(0), End: () => select(rowCount() - 1),
  "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8),
  "/": () => byId("etrace-search").focus(), n: () => view.matches.length && goMatch(view.match + 1),
  N: () => view.matches.length && goMatch(view.match - 1),
  p: showPast, m: follow, Escape: clear,
};

// follow goes to the other end of the chosen message.
async function follow() {
  const e = await event(placeOf(view.cursor));
  if (e.other >= 0) select(rowOf(e.other).row);
}

function listen() {
  byId("etrace-explorer").addEventListener("keydown", (k) => {
    if (k.ctrlKey || k.metaKey || k.altKey) return;
    if (k.target.tagName === "INPUT") {
      if (k.target.type === "search" && k.key === "Escape") picture.focus();
      if (k.target.type === "search") return;
    }
    const everywhere = ["n", "N", "p", "m", "/", "+", "-", "Escape"];
    if (k.target !== picture && !everywhere.includes(k.key)) return;
    const action = keys[k.key];
    if (!action) return;
    k.preventDefault();
    action();
  });
  picture.addEventListener("wheel", (w) => {
    w.preventDefault();
    if (w.ctrlKey) return zoom(w.deltaY < 0 ? 1.15 : 0.87);
    view.left += w.deltaX;
    view.top += Math.sign(w.deltaY) * Math.max(1, Math.round(Math.abs(w.deltaY) / view.rowHeight));
    return draw();
  }, { passive: false });
  let grip = null; // where a drag began
  picture.addEventListener("pointerdown", (p) => {
    grip = { x: p.clientX, y: p.clientY, left: view.left, top: view.top, moved: false };
  });
  picture.addEventListener("pointermove", (p) => {
    hover(p);
    if (!grip || !p.buttons) return;
    const dx = p.clientX - grip.x, dy = p.clientY - grip.y;
    grip.moved ||= Math.abs(dx) + Math.abs(dy) > 5;
    if (!grip.moved) return;
    view.left = grip.left - dx;
    view.top = grip.top - Math.round(dy / view.rowHeight);
    draw();
  });
  picture.addEventListener("pointerup", (p) => {
    const hit = p.target.closest("[data-place]");
    if (grip && !grip.moved && hit) select(rowOf(Number(hit.dataset.place)).row);
    grip = null;
  });
  picture.addEventListener("pointerleave", () => { byId("etrace-tip").hidden = true; });
  overview.addEventListener("pointerdown", (p) => {
    const box = overview.getBoundingClientRect();
    select(rowOf(Math.floor(((p.clientY - box.top) / box.height) * run.events)).row);
  });
  byId("etrace-search").addEventListener("change", (c) => search(c.target.value));
  for (const button of document.querySelectorAll("[data-key]")) {
    button.addEventListener("click", () => keys[button.dataset.key]());
  }
  byId("etrace-acting").addEventListener("change", (c) => { view.acting = c.target.checked; draw(); });
  byId("etrace-everything").addEventListener("change", (c) => { view.everything = c.target.checked; filter(); });
  byId("etrace-group").addEventListener("change", (c) => { view.grouped = c.target.checked; draw(); });
  new ResizeObserver(() => run && draw()).observe(picture);
}

// hover shows the whole event at the pointer.
async function hover(p) {
  const tip = byId("etrace-tip"), hit = p.target.closest && p.target.closest("[data-place]");
  if (!hit) {
    tip.hidden = true;
    return;
  }
  const { clientX, clientY } = p;
  const e = await event(Number(hit.dataset.place));
  tip.textContent = words(e);
  tip.hidden = false;
  tip.style.left = Math.min(clientX + 14, innerWidth - 320) + "px";
  tip.style.top = clientY + 14 + "px";
}

// ---- Lists beside the picture.

function choice(list, text, set, value) {
  const line = document.createElement("label"), box = document.createElement("input");
  box.type = "checkbox";
  box.checked = !set.has(value);
  box.addEventListener("change", () => {
    if (box.checked) set.delete(value); else set.add(value);
    filter();
  });
  line.append(box, " " + text);
  list.append(line);
}

function lists() {
  for (const id of ["processes", "kinds", "verdicts", "satisfied"]) byId("etrace-" + id).replaceChildren();
  run.processes.forEach((name, p) => {
    if (p) choice(byId("etrace-processes"), name, view.hiddenProcesses, p);
  });
  for (const [name, count] of run.labels) {
    choice(byId("etrace-kinds"), `${name} (${count.toLocaleString("en")})`, view.hiddenKinds, name);
  }
  const count = (verdict) => run.verdicts.filter((v) => v.verdict === verdict).length;
  const fine = (v) => v.verdict === "satisfied" || v.verdict === "vacuous";
  byId("etrace-fine").textContent = `${count("satisfied")} satisfied, ${count("vacuous")} vacuous`;
  const violatedFirst = (a, b) => (b.verdict === "violated") - (a.verdict === "violated");
  for (const v of run.verdicts.toSorted(violatedFirst)) {
    const line = document.createElement("li");
    const name = document.createElement(v.events.length ? "button" : "span");
    name.textContent = `${v.name}: ${v.verdict}`;
    name.className = v.verdict === "violated" ? "violated" : "";
    line.append(name, v.text && ": " + v.text);
    if (v.events.length) name.addEventListener("click", () => showWitness(v));
    byId(fine(v) ? "etrace-satisfied" : "etrace-verdicts").append(line);
  }
  byId("etrace-verdicts-part").hidden = run.verdicts.length === 0;
}

// showWitness marks the events that show a violation, and goes to the last of them.
function showWitness(v) {
  view.past = null;
  view.marks = v.events;
  view.top = Math.max(0, rowOf(v.events[0]).row - 2);
  select(rowOf(v.events[v.events.length - 1]).row);
}

// show shows a run from its first event on, or from the event with a seq.
function show(data, seq = data.firstSeq) {
  run = data;
  chunks.clear();
  checkpoints = [new Map(Object.entries(run.before || {}).map(([p, state]) => [Number(p), state]))];
  flightsAt = [new Map()];
  Object.assign(view, { cursor: 0, top: 0, left: 0, shown: null, marks: [], past: null, matches: [], match: -1 });
  view.hiddenProcesses = new Set(run.hiddenProcesses);
  view.hiddenKinds = new Set(run.hiddenKinds);
  view.everything = false;
  byId("etrace-everything").checked = false;
  byId("etrace-everything-part").hidden = !run.leftOut;
  byId("etrace-less").textContent = `left-out events (${(run.leftOut || 0).toLocaleString("en")})`;
  if (run.group) {
    view.grouped = byId("etrace-group").checked = true;
    byId("etrace-by").textContent = `one column for each ${run.group}`;
  }
  view.acting = run.processes.length > 20;
  byId("etrace-acting").checked = view.acting;
  lists();
  view.cursor = Math.max(0, seq - run.firstSeq);
  return filter();
}

if (typeof DecompressionStream === "undefined") {
  progress("This browser cannot unpack the run: the picture below is all there is.");
} else {
  document.body.classList.add("explorable");
  byId("etrace-explorer").hidden = false;
  listen();
  const inPage = byId("etrace-run");
  if (inPage) show(JSON.parse(inPage.textContent));
}
