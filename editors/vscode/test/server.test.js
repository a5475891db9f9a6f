// The extension with the real server: LOZENGE names the command, or it is found in PATH.

const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { after, before, test } = require("node:test");

const { CancellationTokenSource, Host, Position } = require("./host");

const LAYERS = "def layer(x):\n  let w = 2\n  w *. x\n";
const PROGRAM = 'use "layers.loz"\ndata x : 8|->3 = range(24)\nlet y = layer(x)\nprint y\n';

const token = () => new CancellationTokenSource().token;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lozenge-"));
const host = new Host(folder, { "lozenge.path": process.env.LOZENGE ?? "lozenge" });
host.install();
const extension = require("../extension");
const context = { subscriptions: [] };

before(async () => {
  fs.writeFileSync(path.join(folder, "layers.loz"), LAYERS);
  fs.writeFileSync(path.join(folder, "program.loz"), PROGRAM);
  await extension.activate(context);
  assert.deepEqual(host.errors, []);
});

after(async () => {
  await extension.deactivate();
  context.subscriptions.forEach((one) => one.dispose?.());
  fs.rmSync(folder, { recursive: true });
});

/** Returns the place behind the first `text` of a document. */
function behind(document, text) {
  const at = document.getText().indexOf(text);
  assert.notEqual(at, -1, text);
  const { line, character } = document.positionAt(at + text.length);
  return new Position(line, character);
}

test("a program that is opened has its messages", async () => {
  host.open("program.loz");
  await host.messages("program.loz", (all) => all.length === 0);
  host.edit("program.loz", `${PROGRAM}let z = q\n`);
  const [message] = await host.messages("program.loz", (all) => all.length === 1);
  assert.match(message.message, /`q`/);
  assert.equal(message.range.start.line, 4);
  host.edit("program.loz", PROGRAM);
  await host.messages("program.loz", (all) => all.length === 0);
});

test("names are completed, those of a used file too", async () => {
  const document = host.edit("program.loz", `${PROGRAM}print la`);
  const found = await host.providers.registerCompletionItemProvider.provideCompletionItems(
    document,
    behind(document, "print la"),
    token(),
    { triggerKind: 0 },
  );
  const labels = (found.items ?? found).map((item) => item.label.label ?? item.label);
  assert.ok(labels.includes("layer"), labels.join(" "));
  // The half-written name has a message, which would come during a later test on a busy machine.
  await host.messages("program.loz", (all) => all.length === 1);
  host.edit("program.loz", PROGRAM);
  await host.messages("program.loz", (all) => all.length === 0);
});

test("a call shows its parameters", async () => {
  const document = host.documents.get("program.loz");
  const help = await host.providers.registerSignatureHelpProvider.provideSignatureHelp(
    document,
    behind(document, "layer("),
    token(),
    { triggerKind: 1, isRetrigger: false },
  );
  assert.match(help.signatures[0].label, /layer\(x\)/);
});

test("a name is renamed where it is defined and where it is used", async () => {
  const document = host.documents.get("program.loz");
  const edit = await host.providers.registerRenameProvider.provideRenameEdits(document, behind(document, "= la"), "dense", token());
  assert.deepEqual([...edit.edits.keys()].map((uri) => path.basename(uri)).sort(), ["layers.loz", "program.loz"]);
  const texts = [...edit.edits.values()].flat().map((one) => one.newText);
  assert.deepEqual(texts, ["dense", "dense"]);
});

test("a used file that changes is read again", async () => {
  assert.ok(host.watchers.length > 0, "the server asked for no watcher");
  host.write("layers.loz", LAYERS.replace("def layer(x)", "def layer(x, y)"));
  const [message] = await host.messages("program.loz", (all) => all.length > 0);
  assert.match(message.message, /layer/);
  host.write("layers.loz", LAYERS);
  await host.messages("program.loz", (all) => all.length === 0);
  // The text in the editor goes before the file.
  host.open("layers.loz");
  host.edit("layers.loz", LAYERS.replace("w *. x", "w * xs"));
  const [shown] = await host.messages("program.loz", (all) => all.length > 0);
  assert.match(shown.message, /`xs`/);
});

test("a program has its tasks, and they read as the command's arguments", async () => {
  host.vscode.window.activeTextEditor = { document: host.documents.get("program.loz") };
  const tasks = host.providers.tasks.provideTasks();
  assert.deepEqual(
    tasks.map((task) => task.execution.args),
    ["infer", "run", "train", "check", "explain"].map((command) => [command, "program.loz"]),
  );
  assert.equal(tasks[0].problemMatchers, "$lozenge");
});

test("the problem matcher reads what the command prints", () => {
  const { contributes } = require("../package.json");
  const [first, second] = contributes.problemMatchers[0].pattern;
  const { execFileSync } = require("node:child_process");
  fs.writeFileSync(path.join(folder, "wrong.loz"), "let z = q\n");
  let told;
  try {
    execFileSync(host.settings["lozenge.path"], ["infer", "wrong.loz"], { cwd: folder, stdio: "pipe" });
  } catch (error) {
    told = error.stderr.toString().split("\n");
  }
  const message = told[0].match(new RegExp(first.regexp));
  assert.equal(message[1], "error");
  assert.deepEqual(told[1].match(new RegExp(second.regexp)).slice(1), ["wrong.loz", "1", "9"]);
});
