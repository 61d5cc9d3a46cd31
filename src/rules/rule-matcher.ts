import { domainsOf, hostOf, hostsIn } from '../common/links.js';
import { comparedWordsOf } from '../common/words.js';
import type { RuleKind } from './rule-kinds.js';
import { skeletonOf } from './look-alikes.js';
import { PhraseAutomaton } from './phrase-automaton.js';

/**
 * A field of a request as readers see it.
 * @field hosts of the links of a rendered text; absent for plain text @field isUrl only its host is matched
 */
export type CheckedText = { field: string; text: string; hosts?: readonly string[]; isUrl?: boolean };
export type MatchedValue = { kind: RuleKind; value: string };
/** @field rule index of the rule @field text index of the text */
export type Match = { rule: number; text: number };

/** Matches texts with the words, phrases and domains of rules. */
export class RuleMatcher {
  private readonly phrases: PhraseAutomaton | null;
  private readonly domains = new Map<string, number[]>();

  /** @param keys of `keyOf` */
  constructor(keys: readonly string[]) {
    const phrases = keys.map((key) => (isDomain(key) ? [] : key.split(' ').filter(Boolean)));
    this.phrases = phrases.some((words) => words.length > 0) ? new PhraseAutomaton(phrases) : null;
    keys.forEach((key, index) => {
      const host = key.slice(1);
      if (isDomain(key)) this.domains.set(host, [...(this.domains.get(host) ?? []), index]);
    });
  }

  /** Returns each rule once for each text that it matches. */
  match(texts: readonly CheckedText[]): Match[] {
    return texts.flatMap(({ text, hosts = [], isUrl = false }, at) => {
      // Readers also copy an address that is no link, as in code.
      const rules = new Set(this.domains.size === 0 ? [] : this.matchHosts([...hosts, ...hostsIn(text)]));
      if (this.phrases !== null && !isUrl) for (const rule of this.phrases.match(formsOf(text))) rules.add(rule);
      return [...rules].map((rule) => ({ rule, text: at }));
    });
  }

  private matchHosts(hosts: readonly string[]): number[] {
    const domains = [...new Set(hosts)].flatMap((host) => [...domainsOf(host)]);
    return domains.flatMap((domain) => this.domains.get(domain) ?? []);
  }
}

/** Returns the canonical spelling of a value, which is unique among rules with the same action. Empty: it matches nothing. */
export function keyOf({ kind, value }: MatchedValue): string {
  if (kind !== 'domain') return formsOf(value).join(' ');
  const host = hostOf(value);
  return host === null ? '' : ` ${host}`;
}

/** The key of a domain begins with a space, the key of a phrase with a word. */
function isDomain(key: string): boolean {
  return key.startsWith(' ');
}

/** Returns the words of a text as they are compared. */
function formsOf(text: string): string[] {
  return comparedWordsOf(text).map(skeletonOf);
}
