// The language client: which command is the server, which documents it serves, and what it is told about files.

const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

/** Returns how the server is started; `command` is a name in PATH or a path. */
function serverOptions(command) {
  return { command, args: ["lsp"], transport: TransportKind.stdio };
}

/**
 * Returns which documents are served. Unsaved ones are too, since a first program has no name yet. The server registers the files that it wants
 * to be told about (used programs and data) itself.
 */
function clientOptions(outputChannel) {
  return {
    documentSelector: [
      { scheme: "file", language: "lozenge" },
      { scheme: "untitled", language: "lozenge" },
    ],
    outputChannel,
  };
}

/** Returns a client that is not started yet. */
function create(command, outputChannel) {
  return new LanguageClient("lozenge", "lozenge", serverOptions(command), clientOptions(outputChannel));
}

module.exports = { clientOptions, create, serverOptions };
