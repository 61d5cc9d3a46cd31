import type { Schemas } from '../api.js';

export type Draft = Schemas['Draft'];
export type DraftCard = Schemas['DraftCard'];
/** What the author writes. */
export type Fields = Pick<
  Draft,
  'title' | 'subtitle' | 'content' | 'type' | 'tags' | 'thumbnailUrl' | 'canonicalUrl' | 'visibility'
>;

export const NO_FIELDS: Fields = {
  title: '',
  subtitle: null,
  content: '',
  type: null,
  tags: [],
  thumbnailUrl: null,
  canonicalUrl: null,
  visibility: null,
};
export const FIELD_NAMES = Object.keys(NO_FIELDS) as (keyof Fields)[];

export function fieldsOf(draft: Partial<Fields>): Fields {
  return Object.fromEntries(FIELD_NAMES.map((name) => [name, draft[name] ?? NO_FIELDS[name]])) as Fields;
}

/** Whether two texts are the same for the server, which trims lines and normalizes tags. */
export function isSame(one: Fields, other: Fields): boolean {
  return FIELD_NAMES.every((name) => normalized(one[name], name) === normalized(other[name], name));
}

function normalized(value: Fields[keyof Fields], name: keyof Fields): string {
  if (Array.isArray(value)) return [...new Set(value.map((tag) => tag.toLowerCase().normalize()))].join(' ');
  return name === 'content' ? (value ?? '') : (value ?? '').trim().normalize();
}
