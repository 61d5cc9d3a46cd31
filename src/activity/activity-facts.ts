import { Binary, ObjectId } from 'mongodb';

/** The kinds of facts. The byte is stored and must never change its meaning. */
const KIND_BYTES = {
  like: 1,
  comment: 2,
  follow: 3,
  item: 4,
  collection_follow: 5,
  draft_published: 6,
  draft_failed: 7,
  mention_in_post: 8,
  mention_in_comment: 9,
  moderation: 10,
  case: 11,
} as const;
export type FactKind = keyof typeof KIND_BYTES;

/**
 * An action of an account, or of a moderator on it, with only the ids of the affected rows.
 * @field actor moderation: the affected account. case: the account that the case is about.
 * @field target like: the post, comment or collection. item and draft_published: the post. mention: the text. case: the
 * reported row. Other kinds: the created row.
 * @field second comment: the post. item: the collection. mention: the mentioned account.
 */
export type Fact = { kind: FactKind; actor: ObjectId; target: ObjectId; second?: ObjectId };

const KINDS = new Map(Object.entries(KIND_BYTES).map(([kind, byte]) => [byte as number, kind as FactKind]));
export const FACT_BYTES = 37;
const NONE = new Uint8Array(12);

/** Returns one fact for each mentioned account that an earlier version of the text did not mention. */
export function mentionFacts(
  about: Omit<Fact, 'second'>,
  mentions: readonly ObjectId[],
  before: readonly ObjectId[] = [],
): Fact[] {
  const known = new Set(before.map(String));
  return mentions.filter((id) => !known.has(String(id))).map((second) => ({ ...about, second }));
}

export function encodeFacts(facts: readonly Fact[]): Binary {
  const bytes = new Uint8Array(FACT_BYTES * facts.length);
  facts.forEach(({ kind, actor, target, second }, index) => {
    const at = FACT_BYTES * index;
    bytes[at] = KIND_BYTES[kind];
    bytes.set(actor.id, at + 1);
    bytes.set(target.id, at + 13);
    bytes.set(second?.id ?? NONE, at + 25);
  });
  return new Binary(bytes);
}

export function decodeFacts({ buffer, position }: Binary): Fact[] {
  const facts: Fact[] = [];
  for (let at = 0; at + FACT_BYTES <= position; at += FACT_BYTES) {
    const kind = KINDS.get(buffer[at]!);
    if (kind === undefined) throw new Error(`unknown kind of fact: ${buffer[at]}`);
    const idAt = (from: number): ObjectId => new ObjectId(Uint8Array.from(buffer.subarray(from, from + 12)));
    facts.push({ kind, actor: idAt(at + 1), target: idAt(at + 13), second: idAt(at + 25) });
  }
  return facts;
}
