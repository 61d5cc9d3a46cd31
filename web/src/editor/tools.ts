import { EditorSelection } from '@codemirror/state';
import type { EditorView, KeyBinding } from '@codemirror/view';

type Command = (view: EditorView) => boolean;

/** Puts marks around the selection, or removes them. */
function around(mark: string): Command {
  return (view) => {
    const { doc } = view.state;
    const change = view.state.changeByRange(({ from, to }) => {
      const start = from - mark.length;
      if (start >= 0 && doc.sliceString(start, from) === mark && doc.sliceString(to, to + mark.length) === mark) {
        const changes = [
          { from: start, to: from },
          { from: to, to: to + mark.length },
        ];
        return { changes, range: EditorSelection.range(start, to - mark.length) };
      }
      const changes = [
        { from, insert: mark },
        { from: to, insert: mark },
      ];
      return { changes, range: EditorSelection.range(from + mark.length, to + mark.length) };
    });
    return apply(view, change);
  };
}

/** Puts a mark at the start of each selected line, or removes it. */
function atLines(mark: string): Command {
  return (view) => {
    const lines = selectedLines(view);
    const isSet = lines.every(({ text }) => text.startsWith(mark));
    const changes = lines.map(({ from }) => (isSet ? { from, to: from + mark.length } : { from, insert: mark }));
    return apply(view, { changes });
  };
}

/** Marks within a line, or a block around several lines. */
function inlineOrBlock(mark: string, fence: string): Command {
  return (view) => {
    const lines = selectedLines(view);
    if (lines.length === 1) return around(mark)(view);
    const changes = [
      { from: lines[0]!.from, insert: `${fence}\n` },
      { from: lines.at(-1)!.to, insert: `\n${fence}` },
    ];
    return apply(view, { changes });
  };
}

const link: Command = (view) => {
  const { from, to } = view.state.selection.main;
  const text = view.state.sliceDoc(from, to);
  const url = 'https://';
  const start = from + text.length + 3;
  const selection = EditorSelection.range(start, start + url.length);
  return apply(view, { changes: { from, to, insert: `[${text}](${url})` }, selection });
};

/** Tools of the toolbar in their order, with their key besides Ctrl or Command. */
export const TOOLS = {
  bold: { sign: 'B', key: 'Mod-b', run: around('**') },
  italic: { sign: 'I', key: 'Mod-i', run: around('_') },
  link: { sign: '↗', key: 'Mod-k', run: link },
  heading: { sign: 'H', key: 'Mod-Alt-2', run: atLines('## ') },
  quote: { sign: '”', key: 'Mod-Alt-q', run: atLines('> ') },
  list: { sign: '•', key: 'Mod-Alt-l', run: atLines('- ') },
  code: { sign: '</>', key: 'Mod-e', run: inlineOrBlock('`', '```') },
  formula: { sign: '∑', key: 'Mod-Alt-m', run: inlineOrBlock('$', '$$') },
} satisfies Record<string, { sign: string; key: string; run: Command }>;
export type Tool = keyof typeof TOOLS;

export const TOOL_KEYS: KeyBinding[] = Object.values(TOOLS).map(({ key, run }) => ({ key, run, preventDefault: true }));

/** Writes a text at a place, in a paragraph of its own. */
export function insertBlock(view: EditorView, at: number, text: string): void {
  const line = view.state.doc.lineAt(Math.min(at, view.state.doc.length));
  const isEmpty = line.text.trim() === '';
  const insert = isEmpty ? `${text}\n` : `\n\n${text}\n`;
  apply(view, { changes: { from: isEmpty ? line.from : line.to, insert } });
}

/** Replaces a text that may have moved, or was deleted. */
export function replaceText(view: EditorView, text: string, by: string): void {
  const from = view.state.doc.toString().indexOf(text);
  if (from >= 0) view.dispatch({ changes: { from, to: from + text.length, insert: by } });
}

function selectedLines({ state: { doc, selection } }: EditorView) {
  const [first, last] = [doc.lineAt(selection.main.from).number, doc.lineAt(selection.main.to).number];
  return Array.from({ length: last - first + 1 }, (_, at) => doc.line(first + at));
}

function apply(view: EditorView, change: Parameters<EditorView['dispatch']>[0]): boolean {
  view.dispatch(change, { userEvent: 'input', scrollIntoView: true });
  view.focus();
  return true;
}
