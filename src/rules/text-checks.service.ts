import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { ActivityService } from '../activity/activity.service.js';
import { CodedError } from '../common/errors.js';
import { ModerationLogService } from '../moderation/moderation-log.service.js';
import type { Removal } from '../moderation/removal.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { ActiveRulesService, type MatchedRule } from './active-rules.service.js';
import { RuleHitsService } from './rule-hits.service.js';
import type { HitTarget, RuleAction, TextScope } from './rule-kinds.js';
import type { CheckedText } from './rule-matcher.js';
import { CONTENT_FLAGGED, RULES_MATCHED } from './rules.events.js';
import type { Verdict } from './verdict.js';

const HELD = 'Held until a moderator has reviewed it.';
const TARGETS: Record<TextScope, HitTarget> = {
  post: 'post',
  comment: 'comment',
  profile: 'user',
  collection: 'collection',
};

/** @field targetId absent: content without an id @field isNote a note of the collection */
export type CheckedContent = { scope: TextScope; authorId: ObjectId; targetId?: ObjectId; isNote?: boolean };
type StoredContent = CheckedContent & { targetId: ObjectId };

/** Checks texts with the rules before they are stored, and applies the verdict in the transaction that stores them. */
@Injectable()
export class TextChecksService {
  constructor(
    private readonly mongo: MongoService,
    private readonly active: ActiveRulesService,
    private readonly hits: RuleHitsService,
    private readonly log: ModerationLogService,
    private readonly activity: ActivityService,
  ) {}

  /** Whether `check` may match a text, so that the text must be rendered. */
  hasRules(): Promise<boolean> {
    return this.active.hasRules();
  }

  /** Returns null if no rule matches. @throws CodedError `content_rejected`, `overloaded` */
  async check(content: CheckedContent, texts: readonly CheckedText[]): Promise<Verdict | null> {
    const found = await this.active.match(content.scope, texts, content.authorId.toHexString());
    if (found.length === 0) return null;
    const acting = found.filter(({ rule }) => !rule.isDryRun);
    const rejecting = acting.find(({ rule }) => rule.action === 'reject');
    const matched = found.map(({ rule }) => rule._id.toHexString());
    if (rejecting !== undefined) {
      await this.mongo.transaction((tx) => this.reportMatch(matched, content, tx));
      await this.addHits(matched, content);
      throw rejected(rejecting.field);
    }
    const does = (action: RuleAction): boolean => acting.some(({ rule }) => rule.action === action);
    return { isHeld: does('hold'), limitsAuthor: does('limit'), matched, flags: acting.map(flagOf) };
  }

  /** @param email a canonical address @throws CodedError `mail_domain_refused` */
  async requireMailDomain(email: string): Promise<void> {
    const domain = email.slice(email.lastIndexOf('@') + 1);
    const found = await this.active.match('email', [{ field: 'email', text: '', hosts: [domain] }], email);
    if (found.length === 0) return;
    const message = 'must not be an address of this domain, which the site does not accept';
    throw new CodedError('mail_domain_refused', `email ${message}.`, { fields: [{ field: 'email', message }] });
  }

  /**
   * Stores the hits after the commit, and opens a case. Content that is held gets a removal in the log, and its author a notification.
   * @returns the removal that the caller must store with the content; null if the content is not held
   */
  async apply(
    { isHeld, limitsAuthor, matched, flags }: Verdict,
    content: StoredContent,
    tx: Transaction,
  ): Promise<Removal | null> {
    const { targetId, authorId: ownerId } = content;
    const about = { targetKind: targetOf(content), targetId, ownerId };
    await this.reportMatch(matched, content, tx);
    tx.afterCommit(() => void this.addHits(matched, content));
    if (flags.length > 0) {
      const stored = flags.map(({ ruleId, note }) => ({ ruleId: ObjectId.createFromHexString(ruleId), note }));
      tx.addTask(CONTENT_FLAGGED, { ...about, flags: stored, limitsOwner: limitsAuthor });
    }
    if (!isHeld) return null;
    const entry = { by: null, actorRole: 'system', kind: 'remove', reasonCode: 'other', publicReason: HELD } as const;
    const { _id: actionId, createdAt: at } = await this.log.add({ ...entry, ...about }, tx);
    await this.activity.add(tx, [{ kind: 'moderation', actor: ownerId, target: actionId }]);
    return { actionId, at, reason: HELD };
  }

  private reportMatch(ruleIds: readonly string[], content: CheckedContent, tx: Transaction): Promise<void> {
    return tx.runHooks(RULES_MATCHED, { ruleIds, targetKind: targetOf(content), targetId: content.targetId });
  }

  private addHits(matched: readonly string[], content: CheckedContent): Promise<void> {
    const { targetId, authorId: userId } = content;
    const ids = matched.map((id) => ObjectId.createFromHexString(id));
    return this.hits.add(ids, { targetKind: targetOf(content), targetId: targetId ?? null, userId, at: new Date() });
  }
}

function targetOf({ scope, isNote = false }: CheckedContent): HitTarget {
  return isNote ? 'note' : TARGETS[scope];
}

function flagOf({ rule, field }: MatchedRule): Verdict['flags'][number] {
  return { ruleId: rule._id.toHexString(), note: `The rule for the ${rule.kind} "${rule.value}" matched ${field}.` };
}

function rejected(field: string): CodedError {
  const message = 'contains text that this site does not accept';
  return new CodedError('content_rejected', `${field} ${message}.`, { fields: [{ field, message }] });
}
