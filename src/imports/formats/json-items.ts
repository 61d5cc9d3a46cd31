import { JSONParser, TokenType } from '@streamparser/json';
import { EntryError } from './archive-files.js';

export type JsonItem = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 100;
/** of one item */
const MAX_TOKENS = 100_000;

/**
 * Yields the objects at these paths, which have the same length, without holding the rest of the document. `$` is each line of JSON Lines.
 * @throws EntryError `invalid_json`, `json_too_complex`, after the items before
 */
export async function* jsonItems(file: AsyncIterable<Buffer>, ...paths: string[]): AsyncGenerator<JsonItem> {
  const itemDepth = paths[0]!.split('.').length;
  const parser = new JSONParser({ paths, keepStack: false, separator: paths[0] === '$' ? '' : undefined });
  let items: JsonItem[] = [];
  let depth = 0;
  let tokens = 0;
  parser.onToken = ({ token }) => {
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth++;
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth--;
    tokens = depth < itemDepth ? 0 : tokens + 1;
    if (depth > MAX_DEPTH || tokens > MAX_TOKENS)
      throw new EntryError('json_too_complex', `A part has more than ${MAX_TOKENS} values or ${MAX_DEPTH} levels.`);
  };
  parser.onValue = ({ value }) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) items.push(value);
  };
  const failure = (error: unknown): EntryError =>
    error instanceof EntryError
      ? error
      : new EntryError('invalid_json', `The JSON cannot be read: ${(error as Error).message.slice(0, 200)}`);
  for await (const chunk of file)
    try {
      parser.write(chunk);
    } catch (error) {
      throw failure(error);
    } finally {
      yield* items;
      items = [];
    }
  try {
    if (!parser.isEnded) parser.end();
  } catch (error) {
    throw failure(error);
  }
}
