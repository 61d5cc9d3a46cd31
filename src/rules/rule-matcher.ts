import { wordsOf } from '../common/words.js';
import type { RuleKind } from './rule-kinds.js';
import { decodeEscapes, domainsOf, hostOf, hostsIn } from './links.js';
import { skeletonOf } from './look-alikes.js';
import { PhraseAutomaton } from './phrase-automaton.js';

/** A field of a request. @field isUrl only its host is matched */
export type CheckedText = { field: string; text: string; isUrl?: boolean };
export type MatchedValue = { kind: RuleKind; value: string };
/** @field rule index of the rule @field text index of the text */
export type Match = { rule: number; text: number };

/** Matches texts with the words, phrases and domains of rules. */
export class RuleMatcher {
  private readonly phrases: PhraseAutomaton | null;
  private readonly domains = new Map<string, number[]>();

  constructor(values: readonly MatchedValue[]) {
    const phrases = values.map(({ kind, value }) => (kind === 'domain' ? [] : formsOf(value)));
    this.phrases = phrases.some((words) => words.length > 0) ? new PhraseAutomaton(phrases) : null;
    values.forEach(({ kind, value }, index) => {
      const host = kind === 'domain' ? hostOf(value) : null;
      if (host !== null) this.domains.set(host, [...(this.domains.get(host) ?? []), index]);
    });
  }

  /** Returns each rule once for each text that it matches. */
  match(texts: readonly CheckedText[]): Match[] {
    return texts.flatMap(({ text, isUrl = false }, at) => {
      const decoded = decodeEscapes(text);
      const rules = new Set(this.domains.size === 0 ? [] : this.matchHosts(decoded));
      if (this.phrases !== null && !isUrl) for (const rule of this.phrases.match(formsOf(decoded))) rules.add(rule);
      return [...rules].map((rule) => ({ rule, text: at }));
    });
  }

  private matchHosts(text: string): number[] {
    const domains = [...new Set(hostsIn(text))].flatMap((host) => [...domainsOf(host)]);
    return domains.flatMap((domain) => this.domains.get(domain) ?? []);
  }
}

/** Returns the canonical spelling of a value, which is unique among rules with the same action. Empty: it matches nothing. */
export function keyOf({ kind, value }: MatchedValue): string {
  if (kind !== 'domain') return formsOf(value).join(' ');
  // A space, which no phrase begins with.
  const host = hostOf(value);
  return host === null ? '' : ` ${host}`;
}

/** Returns the words of a text as they are compared. */
function formsOf(text: string): string[] {
  // Markdown shows a word around these signs without them.
  return wordsOf(text.replace(/[*~]/g, '')).map(skeletonOf);
}
