export const RULE_KINDS = ['word', 'phrase', 'domain'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** `hold`: removed until a moderator restores it; `report`: a case; `reject`: 422; `limit`: limits the author, with a case */
export const RULE_ACTIONS = ['hold', 'report', 'reject', 'limit'] as const;
export type RuleAction = (typeof RULE_ACTIONS)[number];

/** `email`: the domain of the address of a new account, or of a changed one */
export const RULE_SCOPES = ['post', 'comment', 'profile', 'collection', 'email'] as const;
export type RuleScope = (typeof RULE_SCOPES)[number];
/** scopes with a text that is stored */
export type TextScope = Exclude<RuleScope, 'email'>;

export const MAX_RULES = 10_000;
export const MAX_VALUE = 200;
/** the latest matches of a rule that are stored */
export const MAX_HITS = 100;

/** The targets that rules match. */
export const HIT_TARGETS = ['post', 'comment', 'collection', 'note', 'user'] as const;
export type HitTarget = (typeof HIT_TARGETS)[number];
