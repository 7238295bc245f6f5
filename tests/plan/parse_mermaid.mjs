// Parses a flowchart with Mermaid itself: `node parse_mermaid.mjs FILE`, where mermaid and jsdom are installed.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const from = createRequire(process.cwd() + "/");
const load = (name) => import(pathToFileURL(from.resolve(name)));
const { JSDOM } = from("jsdom");
const { window } = new JSDOM("");
Object.assign(globalThis, { window, document: window.document });
const mermaid = (await load("mermaid")).default;
console.log((await mermaid.parse(readFileSync(process.argv[2], "utf8"))).diagramType);
