/** A subject of posts, with words that make sense in the slots of the sentence patterns. */
export interface Topic {
  name: string;
  tag: string;
  /** Topics of science and software have formulas and code in their articles. */
  isTechnical: boolean;
  /** Tags of the wider field. */
  fields: readonly string[];
  /** Countable nouns: the singular, and the plural after a slash unless it is regular. */
  things: readonly string[];
  people: readonly string[];
  tools: readonly string[];
  /** Phrases that say where, with their preposition. */
  places: readonly string[];
  /** Quantities, never a subject of the present tense. */
  measures: readonly string[];
  /** Activities, with -ing. */
  acts: readonly string[];
  /** Mishaps, in the singular. */
  troubles: readonly string[];
  /** Complete sentences. */
  facts: readonly string[];
}

const LISTS = ['things', 'people', 'tools', 'places', 'measures', 'acts', 'troubles', 'facts'] as const;

/** Parses lines of `name: item; item`, in the order of LISTS. */
function topic(name: string, fields: string, text: string, isTechnical: boolean): Topic {
  const lines = text.trim().split('\n');
  const lists = LISTS.map((list, at) => {
    const [label, items] = lines[at]!.trim().split(/: (.*)/s) as [string, string];
    if (label !== list) throw new Error(`${name} has ${label} in place of ${list}.`);
    return [list, items.split('; ')] as const;
  });
  const words = Object.fromEntries(lists) as Record<(typeof LISTS)[number], string[]>;
  return { name, tag: name.replaceAll(' ', '-'), isTechnical, fields: fields.split(' '), ...words };
}

export const science = (name: string, fields: string, text: string): Topic => topic(name, fields, text, true);
export const culture = (name: string, fields: string, text: string): Topic => topic(name, fields, text, false);
