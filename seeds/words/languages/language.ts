/** Sentences and words of a language other than English. Slots are those of `text/pattern.ts`. */
export interface Language {
  /** Text between two sentences. */
  space: string;
  topics: readonly LocalTopic[];
  towns: readonly string[];
  titles: readonly string[];
  headings: readonly string[];
  sentences: readonly string[];
  verses: readonly string[];
  remarks: readonly string[];
  bios: readonly string[];
}

/** A topic in the words of a language. */
export interface LocalTopic {
  /** Tag of the topic in English. */
  tag: string;
  name: string;
  /** The name after "about", where the language has a case for it. */
  about: string;
  /** Plurals that have the same form as a subject and as an object. */
  things: readonly string[];
  /** Phrases that say where. */
  places: readonly string[];
  facts: readonly string[];
}

const LISTS = ['towns', 'titles', 'headings', 'sentences', 'verses', 'remarks', 'bios'] as const;

/** Parses lines of `name: item; item`. A topic has four lines: `tag: name; about`, things, places, facts. */
export function language(text: string, topics: string, space = ' '): Language {
  const lists = text.trim().split('\n').map(itemsOf);
  const rows = topics.trim().split('\n').map(itemsOf);
  return {
    space,
    topics: rows.flatMap(({ label, items: [name, about] }, at) =>
      at % 4 === 0 ? [{ tag: label, name: name!, about: about ?? name!, ...wordsOf(rows.slice(at + 1, at + 4)) }] : [],
    ),
    ...(Object.fromEntries(
      LISTS.map((list, at) => {
        if (lists[at]!.label !== list) throw new Error(`${lists[at]!.label} is in place of ${list}.`);
        return [list, lists[at]!.items];
      }),
    ) as Record<(typeof LISTS)[number], string[]>),
  };
}

function wordsOf(rows: { items: string[] }[]): Pick<LocalTopic, 'things' | 'places' | 'facts'> {
  const [things, places, facts] = rows.map(({ items }) => items) as [string[], string[], string[]];
  return { things, places, facts };
}

function itemsOf(line: string): { label: string; items: string[] } {
  const [label, items] = line.trim().split(/: (.*)/s) as [string, string];
  return { label, items: items.split('; ') };
}
