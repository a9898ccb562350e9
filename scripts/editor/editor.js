// The editor of rules and pipelines: YAML with conditions in it, completion with documentation, and
// mistakes where they stand. It lives in a shadow root, where CodeMirror adopts its styles instead
// of writing them into the page, so that the page's Content-Security-Policy stays as it is.

import { autocompletion, closeBrackets, completionKeymap, startCompletion } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import {
  Decoration, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
  MatchDecorator, ViewPlugin,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

const WORDS = ["AND", "OR", "NOT", "IN", "LIST", "LIKE", "BETWEEN", "IS", "NULL", "TRUE", "FALSE", "CASE", "WHEN", "THEN", "ELSE", "END"];
const KEYS = {
  rules: ["rule_set", "description", "inputs", "rules", "name", "condition", "outcome", "final", "shadow", "tags"],
  pipeline: ["pipeline", "name", "description", "inputs", "stages", "decided_by", "stage", "rule_set", "fee", "stop_when", "skip_when", "on_failure", "pay", "on_declined_review", "capture"],
};
const CONDITIONS = ["condition", "stop_when", "skip_when"];
const OUTCOMES = ["ACCEPT", "REVIEW", "DECLINE"];

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "12.5px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "19px", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { color: "var(--muted)", backgroundColor: "var(--sunken)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--warn) 25%, transparent)" },
  ".cm-tooltip": { color: "var(--text)", backgroundColor: "var(--raised)", border: "1px solid var(--border)", borderRadius: "6px", boxShadow: "var(--shadow-high)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "16em" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "2px 8px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { color: "var(--on-accent)", backgroundColor: "var(--accent)" },
  ".cm-completionDetail": { color: "inherit", fontStyle: "normal", opacity: "0.8", marginLeft: "12px" },
  ".cm-completionInfo": { maxWidth: "340px", padding: "8px 10px", fontFamily: "system-ui, sans-serif", whiteSpace: "pre-line" },
  ".cm-diagnostic": { padding: "4px 10px", fontFamily: "system-ui, sans-serif" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  // CodeMirror marks mistakes with pictures in data: addresses, which the policy of the pages forbids.
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy 1px var(--bad)", textUnderlineOffset: "3px" },
  ".cm-lint-marker-error": { content: "normal", boxSizing: "border-box", border: "2px solid var(--bad)", borderRadius: "50%", backgroundColor: "color-mix(in srgb, var(--bad) 45%, transparent)" },
  ".cm-panels": { color: "var(--text)", backgroundColor: "var(--sunken)" },
  ".cm-panel input, .cm-panel button": { color: "var(--text)", backgroundColor: "var(--surface)", backgroundImage: "none", border: "1px solid var(--border-strong)", borderRadius: "4px" },
  ".cm-word": { color: "var(--accent)", fontWeight: "600" },
  ".cm-signal": { color: "var(--info)" },
  ".cm-value": { color: "var(--good)" },
  ".cm-outcome": { color: "var(--bad)", fontWeight: "600" },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--text)", fontWeight: "600" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket], color: "var(--muted)" },
]);

// What conditions are made of; comments are left alone.
const conditions = () => {
  const decorator = new MatchDecorator({
    regexp: /#.*$|'(?:[^'\n]|'')*'|\b[a-zA-Z_]+(?:\.[A-Za-z0-9_]+){1,2}\b|\b[A-Z_]{2,}\b/gm,
    decoration: ([text]) => {
      if (text.startsWith("#")) return null;
      if (text.startsWith("'")) return Decoration.mark({ class: "cm-value" });
      if (text.includes(".")) return Decoration.mark({ class: "cm-signal" });
      return Decoration.mark({ class: OUTCOMES.includes(text) ? "cm-outcome" : "cm-word" });
    },
  });
  return ViewPlugin.fromClass(
    class {
      constructor(view) { this.decorations = decorator.createDeco(view); }
      update(update) { this.decorations = decorator.updateDeco(update, this.decorations); }
    },
    { decorations: (plugin) => plugin.decorations },
  );
};

const described = (signal) => [
  signal.about,
  signal.example && `${signal.name} … ${signal.example}`,
  signal.values.length ? signal.values.join(", ") : "",
].filter(Boolean).join("\n");

const options = (words, keys) => ({
  general: [
    ...words.signals.map((each) => ({ label: each.name, type: "variable", detail: each.type, info: described(each) })),
    ...words.functions.map((each) => ({ label: each.name, type: "function", detail: "()", info: each.about, apply: `${each.name}(` })),
    ...WORDS.map((each) => ({ label: each, type: "keyword" })),
  ],
  lists: words.lists.map((each) => ({ label: each.name, type: "enum", detail: each.kind, info: each.about || undefined })),
  keys: keys.map((each) => ({ label: each, type: "property", apply: `${each}: ` })),
  outcomes: OUTCOMES.map((each) => ({ label: each, type: "enum" })),
});

// The right words for the place: lists inside LIST('…'), values behind a signal, keys at a line's start.
const completions = (loading) => async (context) => {
  const { offered, signals } = await loading;
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  if (/^\s*#/.test(before)) return null;
  const list = /LIST\s*\(\s*'([\w-]*)$/i.exec(before);
  if (list) return { from: context.pos - list[1].length, options: offered.lists, validFor: /^[\w-]*$/ };
  const value = /([a-zA-Z_]+(?:\.\w+){1,2})\s*(?:=|<>|IN\s*\((?:\s*'[^']*'\s*,)*)\s*'([^']*)$/i.exec(before);
  if (value) {
    const values = signals.get(value[1])?.values ?? [];
    return values.length ? { from: context.pos - value[2].length, options: values.map((label) => ({ label, type: "enum" })) } : null;
  }
  const outcome = /^\s*(?:- )?outcome:\s*(\w*)$/.exec(before);
  if (outcome) return { from: context.pos - outcome[1].length, options: offered.outcomes };
  // Behind any other key stands free text or a plain value, and Enter must not put a signal there.
  const written = /^\s*(?:- )?([a-z_]+):\s/.exec(before);
  if (written && !CONDITIONS.includes(written[1]) && !context.explicit) return null;
  const key = /^\s*(?:- )?([a-z_]*)$/.exec(before);
  const word = context.matchBefore(/[\w.]+/);
  if (!word && !context.explicit) return null;
  const from = word ? word.from : context.pos;
  const found = key ? [...offered.keys, ...offered.general] : offered.general;
  return { from, options: found, validFor: /^[\w.]*$/ };
};

const diagnostics = (state, flaws) =>
  flaws.filter((flaw) => flaw.line <= state.doc.lines).map((flaw) => {
    const line = state.doc.line(flaw.line);
    const from = Math.min(line.from + flaw.column - 1, line.to);
    const rest = /^[\w.]+/.exec(state.doc.sliceString(from, line.to));
    const to = rest ? from + rest[0].length : Math.min(from + 1, line.to);
    return { from, to, severity: "error", message: flaw.message };
  });

// Replaces a text area; the words to complete may come later.
const open = ({ area, label, language, words, changed, save }) => {
  const phrases = new Compartment();
  const loading = words.then((known) => {
    view.dispatch({ effects: phrases.reconfigure(EditorState.phrases.of(known.phrases)) });
    const signals = new Map(known.signals.map((each) => [each.name, each]));
    return { offered: options(known, KEYS[language] ?? KEYS.rules), signals };
  });
  const host = document.createElement("div");
  host.className = "editor-host";
  const root = host.attachShadow({ mode: "open" });
  area.after(host);
  area.hidden = true;
  // The label names the text area, which is hidden now.
  document.querySelector(`label[for="${area.id}"]`)?.addEventListener("click", () => view.focus());
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: area.value,
      extensions: [
        lineNumbers(), highlightActiveLineGutter(), highlightActiveLine(), lintGutter(), history(), drawSelection(),
        bracketMatching(), closeBrackets(), highlightSelectionMatches(), yaml(), indentUnit.of("  "),
        EditorState.tabSize.of(2), syntaxHighlighting(colours),
        conditions(),
        autocompletion({ override: [completions(loading)], activateOnTyping: true, interactionDelay: 0, icons: false }),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
        keymap.of([
          { key: "Mod-Enter", run: () => { save(); return true; } },
          { key: "Ctrl-Space", run: startCompletion },
          ...completionKeymap, ...searchKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab,
        ]),
        theme,
        phrases.of([]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          area.value = update.state.doc.toString();
          changed();
        }),
      ],
    }),
  });
  return {
    setFlaws: (flaws) => view.dispatch(setDiagnostics(view.state, diagnostics(view.state, flaws))),
    goTo: (number) => {
      const line = view.state.doc.line(Math.min(number, view.state.doc.lines));
      view.dispatch({ selection: { anchor: line.from }, effects: EditorView.scrollIntoView(line.from, { y: "center" }) });
      view.focus();
    },
  };
};

window.GatehouseEditor = { open };
