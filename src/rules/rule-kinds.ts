import { namedValues } from '../common/named-values.js';

export const RULE_KINDS = namedValues('RuleKind', ['word', 'phrase', 'domain']);
export type RuleKind = (typeof RULE_KINDS)[number];

/** `hold`: removed until a moderator restores it; `report`: a case; `reject`: 422; `limit`: limits the author, with a case */
export const RULE_ACTIONS = namedValues('RuleAction', ['hold', 'report', 'reject', 'limit']);
export type RuleAction = (typeof RULE_ACTIONS)[number];

/** `email`: the domain of the address of a new account, or of a changed one */
export const RULE_SCOPES = namedValues('RuleScope', ['post', 'comment', 'profile', 'collection', 'email']);
export type RuleScope = (typeof RULE_SCOPES)[number];
/** scopes with a text that is stored */
export type TextScope = Exclude<RuleScope, 'email'>;

export const MAX_RULES = 10_000;
export const MAX_VALUE = 200;
/** the latest matches of a rule that are stored */
export const MAX_HITS = 100;

/** The targets that rules match. */
export const HIT_TARGETS = namedValues('RuleHitTarget', ['post', 'comment', 'collection', 'note', 'user']);
export type HitTarget = (typeof HIT_TARGETS)[number];
