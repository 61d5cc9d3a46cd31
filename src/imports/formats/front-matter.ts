import { parse as parseToml, TomlDate } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { EntryError } from './archive-files.js';

const MAX_LENGTH = 65_536;
export const FRONT_MATTER = /^(---|\+\+\+)[ \t]*\r?\n/;
const YAML_END = /^(?:---|\.\.\.)[ \t]*\r?(?:\n|$(?!\n))/m;
const TOML_END = /^\+\+\+[ \t]*\r?(?:\n|$(?!\n))/m;
const ABSENT = new Set<unknown>(['', '~', 'null', null]);

/**
 * Splits a text with YAML or TOML before it. Names of fields become lowercase letters without `_` and `-`; YAML values are texts.
 * @throws EntryError `invalid_front_matter`
 */
export function splitFrontMatter(text: string): { fields: ReadonlyMap<string, unknown>; body: string } {
  const [start, fence] = FRONT_MATTER.exec(text) ?? [];
  if (start === undefined) return { fields: new Map(), body: text };
  const head = text.slice(start.length, MAX_LENGTH);
  const end = (fence === '---' ? YAML_END : TOML_END).exec(head);
  if (end === null) throw invalid(`The fields do not end with ${fence} in ${MAX_LENGTH} characters.`);
  const source = head.slice(0, end.index);
  return {
    fields: fieldsOf(parse(source, fence === '---')),
    body: text.slice(start.length + end.index + end[0].length),
  };
}

function parse(source: string, isYaml: boolean): unknown {
  try {
    // Schema: `title: 1.10` is a text. Each alias is refused, and repeated names are not compared, which takes quadratic time.
    return isYaml
      ? parseYaml(source, { schema: 'failsafe', maxAliasCount: 0, uniqueKeys: false, logLevel: 'error' })
      : parseToml(source.replaceAll('\r\n', '\n'));
  } catch (error) {
    throw invalid(`The fields before the text cannot be read: ${(error as Error).message.split('\n', 1)[0]}`);
  }
}

function invalid(detail: string): EntryError {
  return new EntryError('invalid_front_matter', detail);
}

function fieldsOf(values: unknown): Map<string, unknown> {
  const all = typeof values === 'object' && values !== null ? Object.entries(values) : [];
  const present = all.filter(([, value]) => !ABSENT.has(value));
  return new Map(
    present.map(([name, value]: [string, unknown]) => [
      name.toLowerCase().replace(/[_-]/g, ''),
      value instanceof TomlDate ? value.toISOString() : value,
    ]),
  );
}
