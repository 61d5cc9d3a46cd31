import type { Term } from '../words.js';
import { FILTER } from './document-text.js';

/** The FTS5 query. Words contain letters, marks and digits only, so in quotes they are never syntax. */
function termExpression({ words, isPrefix }: Term): string {
  const phrase = `"${words.join(' ')}"`;
  // the whole word weighs more than its other completions
  return isPrefix ? `(${phrase} OR ${phrase} *)` : phrase;
}

export type Filters = { type?: string; tag?: string; authorId?: string };

/** @param operator between the words */
export function postExpression(
  terms: readonly Term[],
  { type, tag, authorId }: Filters,
  operator: 'AND' | 'OR' = 'AND',
): string {
  const words = `(${terms.map(termExpression).join(` ${operator} `)})`;
  const filters = [
    ...(type === undefined ? [] : [FILTER.type(type)]),
    ...(tag === undefined ? [] : [FILTER.tag(tag)]),
    ...(authorId === undefined ? [] : [FILTER.author(authorId)]),
  ];
  return [words, ...filters.map((filter) => `"${filter}"`)].join(' AND ');
}

/** @param columns to search in; '' for all */
export function userExpression(terms: readonly Term[], columns = ''): string {
  const words = `(${terms.map(termExpression).join(' AND ')})`;
  return columns === '' ? words : `{${columns}} : ${words}`;
}
