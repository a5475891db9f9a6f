// Copies into the extension what the repository holds elsewhere: the grammar of the colours, and the licences.

const fs = require("node:fs");
const path = require("node:path");

const at = (...parts) => path.join(__dirname, ...parts);

fs.mkdirSync(at("syntaxes"), { recursive: true });
fs.copyFileSync(at("..", "lozenge.tmLanguage.json"), at("syntaxes", "lozenge.tmLanguage.json"));
fs.copyFileSync(at("..", "..", "LICENSE-MIT"), at("LICENSE"));
