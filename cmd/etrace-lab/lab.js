
// ---- The laboratory: settings make a scenario, the program in the page simulates it, and the view above shows the run.
// The address carries the settings, so that a link is an experiment.

const lab = { settings: [], before: [], chosen: null, processes: [] };

// text and settings: a line "crash 3@2" is the key crash with the value 3@2.
const linesOf = (settings) => settings.map(([key, value]) => `${key} ${value}`).join("\n");
const settingsOf = (lines) => lines.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => {
  const end = line.search(/[\s=]/);
  return end < 0 ? [line, "on"] : [line.slice(0, end), line.slice(end + 1).trim()];
});

// simulate shows the run of settings, or the error, in which case the run before stays.
function simulate(settings, seq) {
  const result = JSON.parse(globalThis.etraceSimulate(JSON.stringify(settings)));
  byId("lab-error").textContent = result.error || (result.remarks || []).join(". ");
  if (result.error) return;
  if (lab.settings.length) lab.before.push(lab.settings);
  lab.settings = result.settings;
  lab.processes = result.run.processes;
  const others = result.settings.filter(([key]) => key !== "algorithm");
  byId("lab-settings").value = linesOf(others);
  byId("lab-algorithm").value = result.settings.find(([key]) => key === "algorithm")[1];
  byId("lab-command").textContent = result.command;
  byId("lab-bounds").textContent = result.bounds;
  byId("lab-counts").replaceChildren();
  for (const [type, count] of result.counts) item(byId("lab-counts"), type, count);
  history.replaceState(null, "", "#" + new URLSearchParams(result.settings));
  show(result.run, seq);
}

const algorithm = () => ["algorithm", byId("lab-algorithm").value];

// The edits of the chosen event: what to add to the settings, or why that makes no sense there.
const edits = {
  crash: (e) => onProcess(e, (name) => ["edit", `crash ${name}@seq${e.seq}`]),
  recover: (e) => onProcess(e, (name) => ["edit", `recover ${name}@seq${e.seq}`]),
  start: (e) => onProcess(e, (name) => ["edit", `start ${name}@seq${e.seq}`]),
  drop: (e) => onMessage(e, (seq) => ["edit", `drop seq${seq}`]),
  delay: (e) => onMessage(e, (seq) => ["edit", `delay seq${seq}=3`]),
  duplicate: (e) => onMessage(e, (seq) => ["edit", `duplicate seq${seq}`]),
  partition: (e) => onProcess(e, (name) => {
    const others = lab.processes.slice(1).filter((other) => other !== name);
    return ["partition", `${name}|${others.join(",")}@${plainNumber(e.time / 1e9)}`];
  }),
  heal: (e) => {
    const last = lab.settings.findLast(([key]) => key === "partition");
    if (!last) throw new Error("the network is whole: cut a process off first");
    const [groups, from] = last[1].split("@");
    return ["partition", `${groups}@${from.split("-")[0]}-${plainNumber(e.time / 1e9)}`];
  },
};

function onProcess(e, edit) {
  if (!e.process) throw new Error("the chosen event is none of a process");
  return edit(run.processes[e.process]);
}

function onMessage(e, edit) {
  if (e.kind === "send") return edit(e.seq);
  if (e.kind !== "receive" && e.kind !== "lose") throw new Error("choose the send or the receive of a message first");
  return edit(e.other + run.firstSeq);
}

// firstOf returns the seq of the first event at the time of an event.
async function firstOf(e) {
  while (e.place > 0) {
    const before = await event(e.place - 1);
    if (before.time !== e.time) break;
    e = before;
  }
  return e.seq;
}

// add applies an edit at the chosen event. A partition that is healed replaces the open one. The event of a partition comes
// first at its time, so that the edits of later events name these by seqs that are one greater.
async function add(name) {
  try {
    const edit = edits[name](lab.chosen);
    const from = name === "partition" || name === "heal" ? await firstOf(lab.chosen) : Infinity;
    const moved = (seq) => Number(seq) + (seq >= from);
    const settings = lab.settings.map(([key, value]) =>
      [key, key === "edit" ? value.replace(/seq(\d+)/, (_, seq) => "seq" + moved(seq)) : value]);
    if (name === "heal") settings.splice(settings.findLastIndex(([key]) => key === "partition"), 1);
    simulate(settings.concat([edit]), moved(lab.chosen.seq));
  } catch (error) {
    byId("lab-error").textContent = error.message;
  }
}

async function program() {
  progress("Starting the simulator");
  const bytes = Uint8Array.from(atob(byId("etrace-program").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const go = new globalThis.Go();
  const { instance } = await WebAssembly.instantiate(await new Response(stream).arrayBuffer(), go.importObject);
  go.run(instance);
  progress("");
}

async function open() {
  await program();
  for (const [name, title] of JSON.parse(globalThis.etraceAlgorithms())) {
    const choice = document.createElement("option");
    choice.value = name;
    choice.textContent = title ? `${name}: ${title}` : name;
    byId("lab-algorithm").append(choice);
  }
  byId("lab-algorithm").addEventListener("change", () => simulate([algorithm()]));
  byId("lab-run").addEventListener("click", () => simulate([algorithm(), ...settingsOf(byId("lab-settings").value)]));
  byId("lab-reset").addEventListener("click", () => simulate([algorithm()]));
  byId("lab-undo").addEventListener("click", () => {
    const settings = lab.before.pop();
    if (!settings) return;
    lab.settings = [];
    simulate(settings, lab.chosen && lab.chosen.seq);
  });
  for (const button of document.querySelectorAll("[data-edit]")) button.addEventListener("click", () => add(button.dataset.edit));
  document.addEventListener("etrace-chosen", (c) => { lab.chosen = c.detail; });
  const linked = [...new URLSearchParams(location.hash.slice(1))];
  simulate(linked.length ? linked : [["algorithm", "bully"]]);
}

open();
