import { ADJECTIVES, CLAUSES, NOUNS, OPENERS, PAST_VERBS, PLURALS, TOPICS, VERBS } from '../words/english.js';
import { Random } from '../sampling/random.js';

const POOL_SIZE = 6000;
const STREAM = 101;

/**
 * Thousands of finished English sentences, made once: a text is then a handful of references joined, which is what lets a
 * hundred thousand bodies be written in seconds.
 */
export function englishSentences(seed: number): string[] {
  const random = new Random(seed, STREAM);
  const sentences = new Set<string>();
  while (sentences.size < POOL_SIZE) sentences.add(sentence(random));
  return [...sentences];
}

function sentence(random: Random): string {
  const topic = random.pick(TOPICS).name;
  const adjective = random.pick(ADJECTIVES);
  const noun = random.pick(NOUNS);
  const plural = random.pick(PLURALS);
  const text = FORMS[random.int(FORMS.length)]!({ random, topic, adjective, noun, plural });
  const marked = random.chance(0.08) ? text.replace(noun, random.pick(MARKS).replace('x', noun)) : text;
  return marked.charAt(0).toUpperCase() + marked.slice(1);
}

const MARKS = ['*x*', '**x**', '[x](https://example.org/notes)', '`x`'];

interface Words {
  random: Random;
  topic: string;
  adjective: string;
  noun: string;
  plural: string;
}

const article = (word: string) => (/^[aeiou]/.test(word) ? 'an' : 'a');

const FORMS: readonly ((words: Words) => string)[] = [
  ({ random, adjective, noun, plural }) =>
    `${plural} ${random.pick(VERBS)} the ${adjective} ${noun}, ${random.pick(CLAUSES)}.`,
  ({ random, adjective, noun, topic }) =>
    `${random.pick(OPENERS)} we ${random.pick(PAST_VERBS)} ${article(adjective)} ${adjective} ${noun} about ${topic}.`,
  ({ random, adjective, noun, plural }) =>
    `${random.pick(OPENERS)} ${plural} ${random.pick(VERBS)} every ${noun} that looked ${adjective}, ${random.pick(CLAUSES)}.`,
  ({ random, adjective, noun, topic }) =>
    `anyone who has ${random.pick(PAST_VERBS)} ${topic} knows this ${adjective} ${noun}.`,
  ({ random, noun, topic, plural }) => `the ${noun} changed when ${plural} met ${topic}, ${random.pick(CLAUSES)}.`,
  ({ random, adjective, noun }) =>
    `between ${random.between(3, 60)} and ${random.between(61, 400)} cases were ${random.pick(PAST_VERBS)}, and the ${noun} stayed ${adjective}.`,
  ({ random, adjective, noun, topic }) =>
    `what ${topic} need is not another ${noun} but ${article(adjective)} ${adjective} ${random.pick(NOUNS)}.`,
  ({ random, adjective, noun, plural }) =>
    `if the ${noun} is ${adjective}, ${plural} will ${random.pick(VERBS)} it; if not, the ${random.pick(NOUNS)} will.`,
];
