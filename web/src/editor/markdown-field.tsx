import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'preact/hooks';
import { TOOL_KEYS } from './tools.js';

type Props = {
  /** the text at first; another one needs another `key` */
  value: string;
  label: string;
  hint: string;
  view: { current: EditorView | undefined };
  onChange: (text: string) => void;
  onFiles: (files: File[], at: number) => void;
};

const STYLE = EditorView.theme({
  '&': { minHeight: '24rem', color: 'var(--ink)', backgroundColor: 'var(--paper)' },
  '&.cm-focused': { outline: '3px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': { font: '1.0625rem/1.7 var(--mono)', fontFamily: 'inherit' },
  '.cm-content': { padding: '0.8rem 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 0.9rem' },
  '.cm-placeholder': { color: 'var(--soft)' },
});
const COLORS = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '700', fontSize: '1.1em' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: [tags.monospace, tags.comment], fontFamily: 'var(--mono)', fontSize: '0.9em' },
  { tag: [tags.quote, tags.processingInstruction, tags.contentSeparator], color: 'var(--soft)' },
]);

/**
 * A text field for Markdown. It is in a shadow root, because the editor then adds its styles by `adoptedStyleSheets`; the
 * Content-Security-Policy does not allow its style elements.
 */
export function MarkdownField({ value, label, hint, view, onChange, onFiles }: Props) {
  const host = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const take = (event: Event, data: DataTransfer | null, editor: EditorView, at: number | null): boolean => {
      const files = [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
      if (files.length === 0) return false;
      event.preventDefault();
      onFiles(files, at ?? editor.state.selection.main.head);
      return true;
    };
    const editor = new EditorView({
      doc: value,
      root,
      parent: root,
      extensions: [
        history(),
        markdownLanguage,
        syntaxHighlighting(COLORS),
        STYLE,
        EditorView.lineWrapping,
        EditorView.perLineTextDirection.of(true),
        EditorView.contentAttributes.of({ 'aria-label': label, dir: 'auto', spellcheck: 'true' }),
        placeholder(hint),
        keymap.of([...TOOL_KEYS, ...markdownKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && onChange(state.doc.toString())),
        EditorView.domEventHandlers({
          beforeinput: replaceSelection,
          paste: (event, to) => take(event, event.clipboardData, to, null),
          drop: (event, to) =>
            take(event, event.dataTransfer, to, to.posAtCoords({ x: event.clientX, y: event.clientY })),
        }),
      ],
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);

  return <div class="markdown" ref={host} />;
}

/** Replaces a selected text itself: browsers copy its style into the new text, which the Content-Security-Policy forbids. */
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const isPlain = event.inputType === 'insertText' && !event.isComposing && event.data !== null;
  if (!isPlain || view.state.selection.main.empty) return false;
  event.preventDefault();
  view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true });
  return true;
}
