import type { OpenAPIObject } from '@nestjs/swagger';

type Schema = Record<string, unknown>;

const ACTION_KINDS = [
  'delete,delete_thread,lock,unlock,set_role,read_email,create_invite,revoke_invite,approve_sign_up,reject_sign_up',
  'dismiss_reports,remove,restore,warn,limit,suspend,ban,lift,accept_appeal,reject_appeal,create_rule,change_rule,delete_rule',
].join();

/** Names of enums that occur in several places, so that clients get one type for each. */
const ENUMS: Record<string, string> = {
  'research-paper,article,poem,story,book,written': 'PostType',
  'public,unlisted,private': 'Visibility',
  'posts,comments': 'FilteredKind',
  'hide,warn': 'FilterAction',
  'newest,oldest,top': 'CommentSort',
  'atom,rss,json': 'FeedFormat',
  'user,moderator,admin': 'Role',
  'read,posts,comments,interactions,notifications,profile,moderation': 'Scope',
  'comment,reply,watched,follow,like_post,like_comment,collected,new_post,draft_published,draft_failed,mention,moderation,case,thread':
    'NotificationKind',
  'app,mail,push,mail_and_push,off': 'NotificationDelivery',
  'own,watched': 'NotifiedThreads',
  'off,daily,weekly': 'DigestFrequency',
  'watching,muted': 'WatchLevel',
  'everyone,followed': 'NotificationSource',
  'list,series': 'CollectionKind',
  'limited,suspended,banned': 'StandingLevel',
  'open,scheduled,failed,trashed': 'DraftState',
  'like,dislike': 'VoteChoice',
  'post,comment,user,collection,note,profile,media': 'ReportTargetKind',
  'spam,harassment,hate,violence,sexual,illegal,misinformation,other': 'ReportReason',
  'open,closed': 'CaseState',
  [ACTION_KINDS]: 'ModerationActionKind',
  'post,comment,collection,note,profile,media,user,invite,sign_up,action,rule': 'ModerationTargetKind',
  'moderator,admin,operator,system': 'ActorRole',
  'post,comment,collection,note,user': 'RuleHitTarget',
  'word,phrase,domain': 'RuleKind',
  'hold,report,reject,limit': 'RuleAction',
  'post,comment,profile,collection,email': 'RuleScope',
  'open,accepted,rejected': 'AppealState',
  // `join` converts null to an empty item.
  'research-paper,article,poem,story,book,written,': 'PostTypeOrNull',
  'like,dislike,': 'VoteChoiceOrNull',
  'watching,muted,': 'WatchLevelOrNull',
  'dismissed,deleted,acted,': 'CaseOutcomeOrNull',
  'spam,harassment,hate,violence,sexual,illegal,misinformation,other,': 'ReportReasonOrNull',
};

/**
 * Names schemas consistently: request schemas end in `Input`, response schemas are nouns. An enum that several places share becomes a
 * schema of its own.
 */
export function nameSchemas(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components!.schemas as Record<string, Schema>;
  const inputs = new Set<string>();
  for (const item of Object.values(document.paths))
    for (const { requestBody } of [item.post, item.put, item.patch, item.delete].filter((one) => one !== undefined))
      collectRefs(requestBody, schemas, inputs);
  const names = new Map<string, string>();
  for (const name of Object.keys(schemas)) {
    const noun = name.replace(/(?:Dto|Body|Input)$/, '');
    names.set(name, inputs.has(name) ? `${noun}Input` : noun);
  }
  if (new Set(names.values()).size !== names.size)
    throw new Error(`two schemas have one name: ${[...names.values()].sort().join(', ')}`);
  const shared: Record<string, Schema> = {};
  const paths = renamed(document.paths, names, shared) as OpenAPIObject['paths'];
  const renamedSchemas = Object.entries(schemas).map(([name, schema]) => [
    names.get(name)!,
    renamed(schema, names, shared),
  ]);
  const renamedAll = Object.fromEntries(renamedSchemas) as Record<string, Schema>;
  const components = { ...document.components, schemas: { ...renamedAll, ...shared } };
  return { ...document, paths, components };
}

const PREFIX = '#/components/schemas/';

/** Collects the names of all schemas that a part of the document references. */
function collectRefs(value: unknown, schemas: Record<string, Schema>, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const ref = (value as Schema)['$ref'];
  if (typeof ref === 'string' && ref.startsWith(PREFIX)) {
    const name = ref.slice(PREFIX.length);
    if (found.has(name)) return;
    found.add(name);
    collectRefs(schemas[name], schemas, found);
  }
  for (const part of Object.values(value)) collectRefs(part, schemas, found);
}

/** Returns a copy with renamed schemas, in which shared enums are references. */
function renamed(value: unknown, names: ReadonlyMap<string, string>, shared: Record<string, Schema>): unknown {
  if (Array.isArray(value)) return value.map((part) => renamed(part, names, shared));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Schema = Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === '$ref' && typeof part === 'string' && part.startsWith(PREFIX)
        ? PREFIX + (names.get(part.slice(PREFIX.length)) ?? part.slice(PREFIX.length))
        : renamed(part, names, shared),
    ]),
  );
  const name = Array.isArray(copy['enum']) ? ENUMS[copy['enum'].join()] : undefined;
  if (name === undefined) return copy;
  const { type, enum: values, ...own } = copy;
  // Omits the example, because Swagger UI would send it as a filter of lists.
  shared[name] = { type, enum: values };
  return { $ref: PREFIX + name, ...own };
}
