import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { ModerationLogService } from '../moderation/moderation-log.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { allFields, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { ActiveRulesService } from './active-rules.service.js';
import { ContentRule, type ListedRule, type RuleHit, ContentRuleSchema } from './content-rule.schema.js';
import type { CreateContentRule, UpdateContentRule } from './dto/content-rule.dto.js';
import { RuleHitsService } from './rule-hits.service.js';
import { MAX_RULES } from './rule-kinds.js';
import { keyOf } from './rule-matcher.js';

const ALL = { _id: 1 } as const;
const FIELDS = allFields(ContentRuleSchema, 'key');

type Settings = Pick<ContentRule, 'kind' | 'value' | 'action' | 'scope' | 'isDryRun'>;

/** Rules for texts, for admins. Each change is in the moderation log, and reaches all processes. */
@Injectable()
export class ContentRulesService {
  constructor(
    private readonly mongo: MongoService,
    private readonly active: ActiveRulesService,
    private readonly hits: RuleHitsService,
    private readonly paginator: Paginator,
    private readonly log: ModerationLogService,
    @InjectModel(ContentRule.name) private readonly rules: Model<ContentRule>,
  ) {}

  /** Lists rules, latest first. */
  list(query: PageQuery): Promise<Page<ListedRule>> {
    const list = { filter: {}, fields: FIELDS, hint: ALL, query, scope: 'content-rules' };
    return this.paginator.listLatest(this.rules, list);
  }

  /** @throws CodedError `invalid_input`, `rule_exists`, `too_many_rules` */
  async create(by: Viewer, { isDryRun = false, ...draft }: CreateContentRule): Promise<ListedRule> {
    const key = requireValid({ ...draft, isDryRun });
    // Concurrent requests may exceed the limit slightly, which is acceptable.
    if ((await this.rules.estimatedDocumentCount()) >= MAX_RULES) throw tooMany();
    const now = new Date();
    const row: ContentRule = { _id: new ObjectId(), ...draft, isDryRun, key, createdAt: now, updatedAt: now };
    await this.change(async (tx) => {
      await this.rules.insertOne(row, { session: tx.session });
      await this.hits.create(row._id, tx);
      await this.record(by, 'create_rule', row, tx);
    });
    return row;
  }

  /** @throws CodedError `rule_not_found`, and as `create` */
  async update(by: Viewer, _id: ObjectId, edit: UpdateContentRule): Promise<ListedRule> {
    return this.change(async (tx) => {
      const row = await findOne(this.rules, { _id }, FIELDS, { session: tx.session });
      if (row === null) throw notFound();
      const edited = { ...row, ...edit, updatedAt: new Date() };
      const { kind, value, action, scope, isDryRun, updatedAt } = edited;
      const $set = { kind, value, action, scope, isDryRun, updatedAt, key: requireValid(edited) };
      await this.rules.updateOne({ _id }, { $set }, { session: tx.session, runValidators: true });
      await this.record(by, 'change_rule', edited, tx);
      return edited;
    });
  }

  /** @throws CodedError `rule_not_found` */
  async delete(by: Viewer, _id: ObjectId): Promise<void> {
    await this.change(async (tx) => {
      const row = await findOne(this.rules, { _id }, FIELDS, { session: tx.session });
      if (row === null) throw notFound();
      await this.rules.deleteOne({ _id }, { session: tx.session });
      await this.hits.delete(_id, tx);
      await this.record(by, 'delete_rule', row, tx);
    });
  }

  /** Returns the latest hits, latest first. @throws CodedError `rule_not_found` */
  async listHits(id: ObjectId): Promise<RuleHit[]> {
    const hits = await this.hits.find(id);
    if (hits === null) throw notFound();
    return hits;
  }

  private async change<T>(write: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.mongo.transaction(async (tx) => {
        const result = await write(tx);
        this.active.invalidate(tx);
        return result;
      });
    } catch (error) {
      throw isDuplicateKey(error)
        ? new CodedError('rule_exists', 'A rule with this value and action exists. Update it instead.')
        : error;
    }
  }

  private async record(
    by: Viewer,
    kind: 'create_rule' | 'change_rule' | 'delete_rule',
    { _id: targetId, kind: ruleKind, action, isDryRun }: ListedRule,
    tx: Transaction,
  ): Promise<void> {
    const detail = `${ruleKind}, ${action}${isDryRun ? ', dry run' : ''}`;
    await this.log.record({ by, kind, targetKind: 'rule', targetId, detail }, tx);
  }
}

/** Returns the key of the rule. @throws CodedError `invalid_input` */
function requireValid({ kind, value, action, scope, isDryRun }: Settings): string {
  const key = keyOf({ kind, value });
  if (key === '') throw invalid('value', kind === 'domain' ? 'must be a host, as example.org' : 'must contain a word');
  if (kind === 'word' && /\s/.test(value)) throw invalid('value', 'must be one word for the kind word');
  if (kind === 'domain' && /[^\p{L}\p{N}\p{M}.-]/u.test(value))
    throw invalid('value', 'must be a host without a path, as example.org');
  const neverHeld = scope.find((one) => one === 'profile' || one === 'collection');
  if (action === 'hold' && neverHeld !== undefined) throw invalid('scope', `must not contain ${neverHeld} for hold`);
  if (scope.includes('email') && (kind !== 'domain' || action !== 'reject' || isDryRun))
    throw invalid('scope', 'must contain email only for the kind domain and the action reject, not with isDryRun');
  return key;
}

function invalid(field: string, message: string): CodedError {
  return new CodedError('invalid_input', `${field} ${message}.`, { fields: [{ field, message }] });
}

function notFound(): CodedError {
  return new CodedError('rule_not_found', 'Rule not found.');
}

function tooMany(): CodedError {
  return new CodedError('too_many_rules', `A site has at most ${MAX_RULES} rules. Delete one first.`);
}
