import { type Token, Tokenizer, TokenizerMode } from 'parse5';

/** An element of HTML: offsets of the element and of its content, and its text. */
export type HtmlElement = {
  name: string;
  attribute: (name: string) => string;
  start: number;
  contentStart: number;
  contentEnd: number;
  end: number;
  text: string;
};

const RAW = new Set(['script', 'style', 'title']);

/** Returns the first element of this kind, in linear time: no tree is built, so an unclosed element ends with the text. */
export function findElement(
  html: string,
  isWanted: (name: string, attribute: HtmlElement['attribute']) => boolean,
): HtmlElement | null {
  let found: HtmlElement | null = null;
  let open = 0;
  const addText = ({ chars }: Token.CharacterToken): void => {
    if (found !== null && open > 0) found.text += chars;
  };
  const ignore = (): void => {};
  const tokenizer: Tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag({ tagName: name, attrs, location }) {
        if (RAW.has(name)) tokenizer.state = TokenizerMode.RAWTEXT;
        if (found?.name === name && open > 0) open++;
        const attribute = (key: string): string => attrs.find((one) => one.name === key)?.value ?? '';
        if (found !== null || !isWanted(name, attribute)) return;
        const { startOffset: start, endOffset: contentStart } = location!;
        found = { name, attribute, start, contentStart, contentEnd: html.length, end: html.length, text: '' };
        open = 1;
      },
      onEndTag({ tagName, location }) {
        if (found?.name !== tagName || open === 0 || --open > 0) return;
        Object.assign(found, { contentEnd: location!.startOffset, end: location!.endOffset });
        tokenizer.pause();
      },
      onCharacter: addText,
      onWhitespaceCharacter: addText,
      onNullCharacter: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
    },
  );
  tokenizer.write(html, true);
  return found;
}

/** Returns the text of HTML without its tags. */
export function plainText(html: string): string {
  return findElement(`<x-text>${html}`, () => true)?.text ?? '';
}
