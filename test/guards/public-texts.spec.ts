import { ACT_TARGETS, type ActTarget, planAction } from '../../src/actions/action-rules.js';
import { describeApi } from '../../src/api-document.js';
import { REPORT_TARGET_KINDS, type ReportTargetKind } from '../../src/reports/report-rules.js';
import { RULE_SCOPES, type RuleScope } from '../../src/rules/rule-kinds.js';
import { operationsOf, resolve, type Operation, type Schema } from '../support/openapi.js';

const document = await describeApi();
const ID = '^[0-9a-f]{24}$';

/** Why a protection does not apply. */
type Not = { not: string };
const not = (reason: string): Not => ({ not: reason });

/** A text that an account writes and others read. */
type PublicText = {
  /** fields of responses that contain it */
  fields: string;
  /** scope of the rules that match it */
  rules: RuleScope | Not;
  /** the operations that write it, with a limit for accounts younger than NEWCOMER_DAYS */
  newcomer: string | Not;
  report: ReportTargetKind | Not;
  remove: ActTarget | Not;
};

const CARD = 'contentPreview|slug|subtitle|tags[]|title';
const PEOPLE = 'Account|Author|ListedAccount|ManagedAccount|OwnUser|Profile|PublicUser|TopWriter|ViewerAccount';

/** One row for each text of accounts. A new field of a response needs a row here, or a reason in the next table. */
const PUBLIC_TEXTS: Record<string, PublicText> = {
  posts: {
    fields:
      `FoundPost.${CARD} ForYouCard.${CARD} RelatedPost.${CARD} OwnPostCard.${CARD} Post.${CARD}|content PostCard.${CARD} PostMeta.description|title MetaTag.content ` +
      'Html.html TocEntry.id|text Oembed.html|title NotifiedTarget.slug|title TargetPost|TopPost.slug|title ' +
      'getAuthorFeed getFeed getOembed getPostCitation getPostContent getTagFeed',
    rules: 'post',
    newcomer: 'createPost updatePost publishDraft',
    report: 'post',
    remove: 'post',
  },
  'words of posts': {
    fields: 'FoundTag|Tag|TagDetails|TagFollow|ViewerTag.tag Suggested.words[] SearchPage.correctedTo',
    rules: 'post',
    newcomer: 'createPost updatePost publishDraft',
    report: 'post',
    remove: 'post',
  },
  comments: {
    fields: 'Comment|CommentWithPost|FoundComment.content CommentHtml.html NotifiedComment.content',
    rules: 'comment',
    newcomer: 'createComment editComment',
    report: 'comment',
    remove: 'comment',
  },
  collections: {
    fields:
      'Collection.description|slug|tags[]|title OwnCollection.description|slug|tags[]|title JsonFeed.description|title getCollectionFeed',
    rules: 'collection',
    newcomer: 'createCollection updateCollection',
    report: 'collection',
    remove: 'collection',
  },
  'notes in collections': {
    fields: 'CollectionPost.note',
    rules: 'collection',
    newcomer: 'putCollectionPost',
    report: 'note',
    remove: 'note',
  },
  names: {
    fields:
      `${PEOPLE}.fullName|username WebhookData.username ManagedAccount.previousUsernames[] Oembed.author_name ` +
      'Block.username Follow.username Follower.username Mute.username ReportedContent.username',
    rules: 'profile',
    newcomer: 'register updateProfile',
    report: 'profile',
    remove: 'profile',
  },
  profiles: {
    fields:
      'Account|OwnUser|Profile.bio|headline|interests[]|location ListedAccount|ManagedAccount|PublicUser|TopWriter.bio Link.title',
    rules: 'profile',
    newcomer: 'updateProfile',
    report: 'user',
    remove: 'profile',
  },
  'images, with their alternative texts in posts': {
    fields: 'Media.alt',
    rules: not('addresses of other sites are matched with the text that shows them'),
    newcomer: 'updateMedia',
    report: 'media',
    remove: 'media',
  },
  'drafts behind a share link': {
    fields: 'SharedDraft.content|subtitle|tags[]|title',
    rules: not('matched when they are published'),
    newcomer: not('only readers with the secret link'),
    report: not('only readers with the secret link'),
    remove: 'post',
  },
};

/** Texts that no other account wrote for the reader, or that moderators read. */
const OTHER_TEXTS: Record<string, { fields: string; is?: (operation: Operation) => boolean }> = {
  'written by the reader, and not shown to others': {
    fields:
      'ApiToken.name NewApiToken.name ContentFilter.phrase Draft.content|subtitle|tags[]|title DraftCard.subtitle|tags[]|title ' +
      'NotifiedDraft.title Identity.email Invite.note NewInvite.note RemovedText.name|text OwnAppeal.text Passkey.name PasskeyUser.displayName ' +
      'PasskeyUser.name Report.note Revision.content|subtitle|tags[]|title RevisionCard.subtitle|tags[]|title DiffHunk.lines[] Session.device|network ' +
      'Import.address ImportProblem.detail|entry PushSubscription.host UserSettings.language NotificationSettings.timeZone Webhook.description NewWebhook.description ' +
      'WebhookData.slug',
    // A write returns the texts of its sender.
    is: ({ access, method }) => access !== 'public' || method !== 'GET',
  },
  'a filter of the reader, in public lists': { fields: 'Filtered.phrase' },
  'read by moderators': {
    fields:
      'Appeal.text CaseReport.note ContentRule.value ModerationAction.caseId|detail|privateNote|publicReason NotifiedCase.id|title ' +
      'ReportCase.id|note|title ReportCaseDetails.html|id|note|title ReportedContent.text|title SignUp.fullName|provider|reason|username ' +
      'TargetSummary.excerpt|title',
    is: ({ path, id }) => /^\/v1\/(moderation|admin)\//.test(path) || id === 'listNotifications',
  },
  'written by a program of the reader': { fields: 'DeliveryAttempt.response' },
  'the name of an element, in the response to its writer': { fields: 'DroppedElement.element' },
  'written by moderators': {
    fields:
      'Appeal.reason DisclosedAction.publicReason NotifiedAction.publicReason OwnAction.publicReason OwnAppeal.reason Removal.reason ' +
      'TagDetails.description',
  },
  'a host, counted for an author': { fields: 'Referrer.host' },
  'made by the server or its operator': {
    fields:
      'Draft.failure DraftCard.failure Import.failure|format ImportProblem.code NotifiedDraft.failure DraftLink.path Identity.provider Instance.languages[]|name|providers[] ' +
      'KnownCredential.id Media.placeholder MetaTag.name NewApiToken.token NewInvite.code Notification.id ' +
      'NotificationEvent|ResetEvent|UnreadEvent.data Oembed.provider_name PageInfo.nextCursor PasskeyCreationOptions.challenge ' +
      'PasskeyRequestOptions.challenge|rpId PasskeyUser.id Picture.placeholder Provider.provider PushKey.publicKey PushSubscription.id ' +
      'RecoveryCodes.recoveryCodes[] RelyingParty.id|name ScheduledTask.name ServerHost.name|version ServerProcess.role|version ' +
      'TaskLane.name DeliveryAttempt.error NewWebhook.secret SignedIn.accessToken|refreshToken StreamTicket.ticket Totp.otpauthUrl|secret ' +
      'getMetrics getRobots getSiteStats getSitemapFile getSitemapIndex getTagSitemap getUnsubscribePage unsubscribe',
  },
};

describe('the register of texts that others read', () => {
  const rows = [...Object.entries(PUBLIC_TEXTS), ...Object.entries(OTHER_TEXTS)];
  const registered = rows.flatMap(([row, { fields }]) => namesOf(fields).map((field) => ({ row, field })));
  const found = textFields();

  it('has one row for each text field of the responses', () => {
    expect(registered.map(({ field }) => field).toSorted()).toEqual([...found.keys()].toSorted());
  });

  it.each(Object.entries(OTHER_TEXTS))('says why a text is outside: %s', (_, { fields, is = () => true }) => {
    const wrong = namesOf(fields).filter((field) => !found.get(field)!.every(is));

    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(PUBLIC_TEXTS))('names reports, removals and rules that exist for %s', (_, text) => {
    const { rules, report, remove } = text;
    const request = { reasonCode: 'spam', publicReason: 'r', targetId: '0'.repeat(24) } as const;

    if (typeof rules === 'string') expect(RULE_SCOPES).toContain(rules);
    if (typeof report === 'string') expect(REPORT_TARGET_KINDS).toContain(report);
    if (typeof remove === 'string')
      for (const kind of ['remove', 'restore'] as const)
        expect(planAction({ kind, targetKind: remove, ...request })).toMatchObject({ kind, targetKind: remove });
  });

  it('names writes that are limited for new accounts', () => {
    const limited = Object.values(document.paths)
      .flatMap((item): Schema[] => Object.values(item))
      .filter(({ 'x-error-codes': codes = [] }) => codes.some((code: string) => code.startsWith('newcomer_')))
      .map(({ operationId }) => operationId);
    const named = Object.values(PUBLIC_TEXTS).flatMap(({ newcomer }) =>
      typeof newcomer === 'string' ? newcomer.split(' ') : [],
    );

    expect(named.filter((id) => !limited.includes(id))).toEqual([]);
  });

  it('uses every target and scope', () => {
    const used = (column: 'rules' | 'report' | 'remove') =>
      new Set(Object.values(PUBLIC_TEXTS).map((row) => row[column]));
    const unused = (column: 'rules' | 'report' | 'remove', kinds: readonly string[]) =>
      kinds.filter((kind) => !used(column).has(kind as never));

    expect(unused('rules', RULE_SCOPES)).toEqual(['email']);
    expect(unused('report', REPORT_TARGET_KINDS)).toEqual([]);
    expect(unused('remove', ACT_TARGETS)).toEqual(['user']);
  });
});

/** Expands `A|B.c|d` to four names. */
function namesOf(fields: string): string[] {
  return fields.split(' ').flatMap((name) => {
    const parts = name.split('.').map((part) => part.split('|'));
    return parts.reduce((names, part) => names.flatMap((one) => part.map((next) => `${one}.${next}`)));
  });
}

/** Returns the strings of all responses that can have words, as `Schema.field`, with their operations. */
function textFields(): Map<string, Operation[]> {
  const found = new Map<string, Operation[]>();
  for (const operation of operationsOf(document)) {
    const visited = new Set<string>();
    const visitSchema = (schema: Schema, name: string): void => {
      const target: string | undefined = schema.$ref?.split('/').at(-1);
      if (target !== undefined) {
        if (visited.has(target)) return;
        visited.add(target);
        return visitSchema(resolve(document, schema)!, target);
      }
      for (const part of [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])])
        visitSchema(part, name);
      if (schema.items) visitSchema(schema.items, `${name}[]`);
      for (const [field, value] of Object.entries<Schema>(schema.properties ?? {}))
        visitSchema(value, `${name}.${field}`);
      if (typeof schema.additionalProperties === 'object') visitSchema(schema.additionalProperties, `${name}.*`);
      if (isText(schema)) found.set(name, [...new Set([...(found.get(name) ?? []), operation])]);
    };
    for (const [status, { content = {} }] of Object.entries(operation.responses))
      if (status.startsWith('2'))
        for (const { schema } of Object.values(content)) if (schema) visitSchema(schema, operation.id);
  }
  return found;
}

function isText({ type, format, pattern, ...schema }: Schema): boolean {
  if ('enum' in schema || 'const' in schema || format !== undefined || pattern === ID) return false;
  return type === 'string' || (Array.isArray(type) && type.includes('string'));
}
