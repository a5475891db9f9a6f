// The extension: it starts the language server when a program is opened, and offers the tasks of a program.

const vscode = require("vscode");

const client = require("./client");
const tasks = require("./tasks");

let running;

/** Returns the command `lozenge`, as the settings have it. */
function path() {
  return vscode.workspace.getConfiguration("lozenge").get("path", "lozenge");
}

/** Starts the server, or tells how it is installed. */
async function start(output) {
  const command = path();
  running = client.create(command, output);
  try {
    await running.start();
  } catch (error) {
    running = undefined;
    const answer = await vscode.window.showErrorMessage(
      `The language server \`${command} lsp\` does not start: ${error.message ?? error}. Set \`lozenge.path\` to the command lozenge.`,
      "Open settings",
    );
    if (answer) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "lozenge.path");
    }
  }
}

/** Stops the server. */
async function stop() {
  const stopped = running;
  running = undefined;
  await stopped?.stop();
}

/** Is called by the editor when the first program is opened. */
async function activate(context) {
  const output = vscode.window.createOutputChannel("lozenge");
  const restart = async () => {
    await stop();
    await start(output);
  };
  context.subscriptions.push(
    output,
    vscode.tasks.registerTaskProvider("lozenge", tasks.provider(path)),
    vscode.commands.registerCommand("lozenge.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => (event.affectsConfiguration("lozenge.path") ? restart() : undefined)),
  );
  await start(output);
}

/** Is called by the editor before it ends. */
function deactivate() {
  return stop();
}

module.exports = { activate, deactivate };
