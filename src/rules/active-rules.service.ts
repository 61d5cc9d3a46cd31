import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { ClusterBus } from '../platform/cluster/bus.js';
import { CpuPool } from '../platform/cpu-pool/cpu-pool.js';
import type { CpuTask } from '../platform/cpu-pool/cpu-task.js';
import { CachedRead } from '../platform/events/cached-read.js';
import { EventStream } from '../platform/events/event-stream.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { ContentRule } from './content-rule.schema.js';
import { MAX_RULES, type RuleScope } from './rule-kinds.js';
import { type CheckedText, keyOf, type Match, RuleMatcher } from './rule-matcher.js';
import { RULES_CHANGED } from './rules.events.js';

/** Longer texts are matched in the CPU pool. */
const MAX_INLINE_LENGTH = 20_000;
/** A host takes about as long as this number of characters. */
const HOST_LENGTH = 10;
const KEYS_PER_TURN = 500;
const MATCH: CpuTask<typeof import('./match.task.js').run> = {
  name: 'rules: match',
  module: new URL('./match.task.js', import.meta.url),
  limitMs: 1_000,
  waitMs: 20_000,
};

const FIELDS = { kind: 1, value: 1, action: 1, scope: 1, isDryRun: 1 } as const;
export type ActiveRule = Pick<ContentRule, '_id' | keyof typeof FIELDS>;
export type MatchedRule = { rule: ActiveRule; field: string };

/** @field version unique in this process @field keys of the rules, in their order */
type Loaded = { version: number; rules: ActiveRule[]; keys: string[]; matcher: RuleMatcher };

/** The rules as this process matches them. A change drops the rules in all processes of all hosts, and the next text loads them. */
@Injectable()
export class ActiveRulesService {
  private readonly loaded: CachedRead<Loaded>;
  private lastVersion = 0;

  constructor(
    stream: EventStream,
    bus: ClusterBus,
    private readonly pool: CpuPool,
    @InjectModel(ContentRule.name) private readonly rules: Model<ContentRule>,
  ) {
    this.loaded = new CachedRead(RULES_CHANGED, stream, bus, () => this.read());
  }

  /** Joins the transaction of a change. */
  invalidate(tx: Transaction): void {
    this.loaded.invalidate(tx);
  }

  async hasRules(): Promise<boolean> {
    return (await this.loaded.get()).rules.length > 0;
  }

  /**
   * Returns the rules of a scope that the texts match, each with the first field that it matches.
   * @param author waits for the result, as in CpuPool.run
   * @throws CodedError `overloaded` for long texts
   */
  async match(scope: RuleScope, texts: readonly CheckedText[], author: string): Promise<MatchedRule[]> {
    const loaded = await this.loaded.get();
    if (loaded.rules.length === 0 || texts.length === 0) return [];
    const length = texts.reduce((sum, { text, hosts = [] }) => sum + text.length + hosts.length * HOST_LENGTH, 0);
    const matches =
      length <= MAX_INLINE_LENGTH ? loaded.matcher.match(texts) : await this.matchInPool(loaded, texts, author);
    const fields = new Map<ActiveRule, string>();
    for (const match of matches) {
      const rule = loaded.rules[match.rule]!;
      if (rule.scope.includes(scope) && !fields.has(rule)) fields.set(rule, texts[match.text]!.field);
    }
    return [...fields].map(([rule, field]) => ({ rule, field }));
  }

  /** Sends the rules only to a thread that does not have this version. */
  private async matchInPool(
    { version, keys }: Loaded,
    texts: readonly CheckedText[],
    author: string,
  ): Promise<Match[]> {
    const found = await this.pool.run(MATCH, { version, texts }, author);
    return found ?? (await this.pool.run(MATCH, { version, keys, texts }, author))!;
  }

  private async read(): Promise<Loaded> {
    const all = { sort: { _id: 1 }, limit: MAX_RULES, hint: { _id: 1 } } as const;
    const rules = await findMany(this.rules, {}, FIELDS, all);
    const keys: string[] = [];
    for (const rule of rules) {
      keys.push(keyOf(rule));
      // Thousands of rules must not block the event loop.
      if (keys.length % KEYS_PER_TURN === 0) await setImmediate();
    }
    return { version: ++this.lastVersion, rules, keys, matcher: new RuleMatcher(keys) };
  }
}
