// A small host for the extension: what it and its client use of the editor's interface, over real files and a real server. Documents are texts with
// versions; providers, diagnostics and watchers are kept, so that a test asks them as the editor would. Microsoft's own host is the editor itself, which
// is too large for a test run.

const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");

const { TextDocument } = require("vscode-languageserver-textdocument");
const { URI } = require("vscode-uri");

class Disposable {
  constructor(dispose = () => {}) {
    this.dispose = dispose;
  }
  static from(...all) {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

class EventEmitter {
  listeners = new Set();
  event = (listener, self, into) => {
    const bound = self ? listener.bind(self) : listener;
    this.listeners.add(bound);
    const disposable = new Disposable(() => this.listeners.delete(bound));
    into?.push?.(disposable);
    return disposable;
  };
  fire(value) {
    return [...this.listeners].map((listener) => listener(value));
  }
  dispose() {
    this.listeners.clear();
  }
}

class CancellationTokenSource {
  constructor() {
    this.emitter = new EventEmitter();
    this.token = { isCancellationRequested: false, onCancellationRequested: this.emitter.event };
  }
  cancel() {
    this.token.isCancellationRequested = true;
    this.emitter.fire();
  }
  dispose() {}
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(...ends) {
    const [start, end] = ends.length === 4 ? [new Position(ends[0], ends[1]), new Position(ends[2], ends[3])] : ends;
    Object.assign(this, { start, end });
  }
}

class TextEdit {
  constructor(range, newText) {
    Object.assign(this, { range, newText });
  }
  static replace(range, text) {
    return new TextEdit(range, text);
  }
}

class WorkspaceEdit {
  edits = new Map();
  set(uri, edits) {
    this.edits.set(uri.toString(), edits);
  }
  replace(uri, range, text) {
    this.edits.set(uri.toString(), [...(this.edits.get(uri.toString()) ?? []), new TextEdit(range, text)]);
  }
}

class MarkdownString {
  constructor(value = "") {
    this.value = value;
  }
  appendMarkdown(text) {
    this.value += text;
    return this;
  }
  appendCodeblock(text) {
    this.value += text;
    return this;
  }
}

/** A class whose objects hold their arguments: enough for what the client only builds or extends. */
const holding = (...names) =>
  class {
    constructor(...given) {
      names.forEach((name, at) => (this[name] = given[at]));
    }
  };

/** Returns a document as the editor shows it: `uri` is an object, and reading gives objects of this host. */
function documentOf(uri, languageId, version, text) {
  const held = TextDocument.create(uri.toString(), languageId, version, text);
  return {
    uri,
    languageId,
    version,
    isClosed: false,
    isDirty: false,
    isUntitled: uri.scheme === "untitled",
    fileName: uri.fsPath,
    getText: (range) => held.getText(range),
    offsetAt: (position) => held.offsetAt(position),
    positionAt: (offset) => held.positionAt(offset),
  };
}

/** The editor with one folder open. */
class Host {
  constructor(folder, settings) {
    this.folder = folder;
    this.settings = settings;
    this.documents = new Map();
    this.providers = {};
    this.diagnostics = new Map();
    this.changed = new EventEmitter();
    this.watchers = [];
    this.errors = [];
    this.commands = new Map();
    this.events = new Proxy({}, { get: (all, name) => (all[name] ??= new EventEmitter()) });
    this.vscode = this.interface();
  }

  interface() {
    const keep = (kind) => (selector, provider) => {
      this.providers[kind] = provider;
      return new Disposable(() => delete this.providers[kind]);
    };
    const registers = new Proxy({}, { get: (_, name) => (name.startsWith("register") ? keep(name) : undefined) });
    const languages = Object.assign(Object.create(registers), {
      match: (selectors, document) =>
        [selectors].flat().some((one) => one.language === document.languageId && one.scheme === document.uri.scheme) ? 10 : 0,
      createDiagnosticCollection: () => ({
        set: (uri, all) => {
          this.diagnostics.set(uri.toString(), all ?? []);
          this.changed.fire();
        },
        delete: (uri) => this.diagnostics.delete(uri.toString()),
        get: (uri) => this.diagnostics.get(uri.toString()),
        clear: () => this.diagnostics.clear(),
        dispose() {},
      }),
    });
    const host = this;
    const workspace = {
      get textDocuments() {
        return [...host.documents.values()];
      },
      workspaceFolders: [{ uri: URI.file(this.folder), name: path.basename(this.folder), index: 0 }],
      getWorkspaceFolder: () => workspace.workspaceFolders[0],
      asRelativePath: (uri) => path.relative(this.folder, uri.fsPath),
      getConfiguration: (section) => ({
        get: (key, otherwise) => this.settings[section ? `${section}.${key}` : key] ?? otherwise,
        has: () => false,
        inspect: () => undefined,
      }),
      createFileSystemWatcher: (pattern) => {
        const [created, changed, deleted] = [new EventEmitter(), new EventEmitter(), new EventEmitter()];
        const watcher = { onDidCreate: created.event, onDidChange: changed.event, onDidDelete: deleted.event, dispose() {} };
        this.watchers.push({ pattern, changed });
        return watcher;
      },
      applyEdit: async (edit) => Boolean(this.applied = edit),
      fs: {},
    };
    for (const name of ["OpenTextDocument", "CloseTextDocument", "ChangeTextDocument", "SaveTextDocument"]) {
      workspace[`onDid${name}`] = this.events[name].event;
    }
    for (const name of ["ChangeConfiguration", "ChangeWorkspaceFolders", "CreateFiles", "RenameFiles", "DeleteFiles"]) {
      workspace[`onDid${name}`] = this.events[name].event;
    }
    for (const name of ["SaveTextDocument", "CreateFiles", "RenameFiles", "DeleteFiles"]) {
      workspace[`onWill${name}`] = this.events[`Will${name}`].event;
    }
    const tell = async (text) => void this.errors.push(text);
    const output = { append() {}, appendLine: (line) => process.env.LOZENGE_VERBOSE && console.error(line), show() {}, clear() {}, dispose() {} };
    const window = {
      activeTextEditor: undefined,
      visibleTextEditors: [],
      tabGroups: { all: [], onDidChangeTabs: this.events.tabs.event, activeTabGroup: {} },
      onDidChangeActiveTextEditor: this.events.ChangeActive.event,
      createOutputChannel: () => output,
      showErrorMessage: tell,
      showWarningMessage: tell,
      showInformationMessage: async () => undefined,
      withProgress: (_, work) => work({ report() {} }, new CancellationTokenSource().token),
    };
    const commands = {
      registerCommand: (name, run) => {
        this.commands.set(name, run);
        return new Disposable(() => this.commands.delete(name));
      },
      executeCommand: async (name, ...rest) => this.commands.get(name)?.(...rest),
    };
    const tasks = { registerTaskProvider: keep("tasks") };
    const kinds = new Proxy({}, { get: (_, name) => name });
    const enums = [
      ["DiagnosticSeverity", ["Error", "Warning", "Information", "Hint"]],
      ["TaskScope", ["None", "Global", "Workspace"]],
      ["CompletionTriggerKind", ["Invoke", "TriggerCharacter", "TriggerForIncompleteCompletions"]],
      ["SignatureHelpTriggerKind", ["None", "Invoke", "TriggerCharacter", "ContentChange"]],
      ["CodeActionTriggerKind", ["None", "Invoke", "Automatic"]],
      ["TextDocumentChangeReason", ["None", "Undo", "Redo"]],
      ["TextDocumentSaveReason", ["None", "Manual", "AfterDelay", "FocusOut"]],
    ].map(([name, all]) => [name, Object.fromEntries(all.map((one, at) => [one, at]))]);
    const known = {
      ...Object.fromEntries(enums),
      version: "1.91.0",
      env: { appName: "test", language: "en", openExternal: async () => true },
      CodeAction: holding("title", "kind"),
      CodeActionKind: Object.assign((value) => ({ value }), { Empty: { value: "", append: (value) => ({ value }) } }),
      CompletionItem: holding("label", "kind"),
      CompletionList: holding("items", "isIncomplete"),
      CancellationError: class extends Error {},
      CancellationTokenSource,
      Diagnostic: holding("range", "message", "severity"),
      Disposable,
      EventEmitter,
      Hover: holding("contents", "range"),
      InlayHint: holding("position", "label", "kind"),
      Location: holding("uri", "range"),
      MarkdownString,
      ParameterInformation: holding("label", "documentation"),
      Position,
      ProcessExecution: holding("process", "args"),
      Range,
      RelativePattern: holding("base", "pattern"),
      SignatureHelp: holding(),
      SignatureInformation: holding("label", "documentation"),
      SnippetString: holding("value"),
      Task: holding("definition", "scope", "name", "source", "execution", "problemMatchers"),
      TextEdit,
      Uri: URI,
      WorkspaceEdit,
      commands,
      languages,
      tasks,
      window,
      workspace,
    };
    // A name that the client only mentions (a class that it extends, a number that it compares) is made when it is
    // asked for.
    const made = {};
    return new Proxy(known, {
      get: (all, name) => all[name] ?? (made[name] ??= Object.assign(holding(), { Window: 10 })),
    });
  }

  /** Makes `require("vscode")` return this host. */
  install() {
    const resolve = Module._resolveFilename;
    Module._resolveFilename = (name, ...rest) => (name === "vscode" ? "vscode" : resolve(name, ...rest));
    require.cache.vscode = { id: "vscode", filename: "vscode", loaded: true, exports: this.vscode };
  }

  uri(name) {
    return URI.file(path.join(this.folder, name));
  }

  /** Opens a file as it stands on the disk. */
  open(name) {
    const document = documentOf(this.uri(name), "lozenge", 1, fs.readFileSync(path.join(this.folder, name), "utf8"));
    this.documents.set(name, document);
    this.events.OpenTextDocument.fire(document);
    return document;
  }

  /** Replaces the text of an open document, as if it were typed. */
  edit(name, text) {
    const before = this.documents.get(name);
    const range = new Range(0, 0, ...Object.values(before.positionAt(before.getText().length)));
    const document = documentOf(before.uri, before.languageId, before.version + 1, text);
    this.documents.set(name, document);
    const change = { range, rangeOffset: 0, rangeLength: before.getText().length, text };
    this.events.ChangeTextDocument.fire({ document, contentChanges: [change], reason: undefined });
    return document;
  }

  /** Writes a file beside the editor, and tells those who watch it. */
  write(name, text) {
    fs.writeFileSync(path.join(this.folder, name), text);
    this.watchers.forEach((watcher) => watcher.changed.fire(this.uri(name)));
  }

  /** Waits until the messages about a file are as asked. */
  messages(name, are, limit = 20_000) {
    const uri = this.uri(name).toString();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${name}: ${JSON.stringify(this.diagnostics.get(uri))}`)), limit);
      const look = () => {
        const all = this.diagnostics.get(uri);
        if (all && are(all.map((one) => one.message))) {
          clearTimeout(timer);
          listening.dispose();
          resolve(all);
        }
      };
      const listening = this.changed.event(look);
      look();
    });
  }
}

module.exports = { CancellationTokenSource, Host, Position };
