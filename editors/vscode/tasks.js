// The tasks of a program: what the command does with the file in the editor, with its messages in the list of problems.

const vscode = require("vscode");

const COMMANDS = ["infer", "run", "train", "check", "explain"];

/** Returns one task; `definition` is `{ type, command, file }` as in package.json. */
function task(definition, scope, path) {
  const run = new vscode.ProcessExecution(path, [definition.command, definition.file]);
  return new vscode.Task(definition, scope, `${definition.command} ${definition.file}`, "lozenge", run, "$lozenge");
}

/** Returns a provider that lists a task a command for the program in the active editor. */
function provider(path) {
  return {
    provideTasks() {
      const document = vscode.window.activeTextEditor?.document;
      if (document?.languageId !== "lozenge" || document.isUntitled) {
        return [];
      }
      const folder = vscode.workspace.getWorkspaceFolder(document.uri);
      const file = vscode.workspace.asRelativePath(document.uri, false);
      return COMMANDS.map((command) =>
        task({ type: "lozenge", command, file }, folder ?? vscode.TaskScope.Workspace, path()),
      );
    },
    resolveTask(given) {
      const { command, file } = given.definition;
      return command && file ? task(given.definition, given.scope ?? vscode.TaskScope.Workspace, path()) : undefined;
    },
  };
}

module.exports = { COMMANDS, provider };
