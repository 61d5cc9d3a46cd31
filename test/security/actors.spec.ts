import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { ActivityProcessorService } from '../../src/activity/activity-processor.service.js';
import { StandingsService } from '../../src/auth/standings.service.js';
import { PASSWORD_RESET_REQUESTED } from '../../src/auth/recovery/recovery.events.js';
import { AppConfig } from '../../src/config/app-config.js';
import { DRAFT_DUE } from '../../src/drafts/drafts.events.js';
import { EXPORT_REQUESTED } from '../../src/exports/exports.events.js';
import { IMPORT_STARTED } from '../../src/imports/imports.events.js';
import { EventConsumerService } from '../../src/integrations/kafka/event-consumer.service.js';
import { DigestJob } from '../../src/notifications/mails/digest.job.js';
import { PUSH } from '../../src/notifications/push/push-sender.service.js';
import { MailTransport } from '../../src/platform/mail/mail-transport.js';
import { MAIL } from '../../src/platform/mail/mail.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { SafeHttpClient } from '../../src/platform/safe-http/safe-http-client.js';
import { TaskHandlers } from '../../src/platform/work-queue/task-handlers.js';
import { UserAccountsService } from '../../src/users/user-accounts.service.js';
import { WEBHOOK_DELIVERY } from '../../src/webhooks/webhooks.events.js';
import { PostEventWriterService } from '../../src/views/post-event-writer.service.js';
import { useApp } from '../support/app.js';
import { hugoPost, zipOf } from '../support/zips.js';
import { queuedMails } from '../support/mails.js';
import { formOf } from '../support/pictures.js';
import { runTasks } from '../support/tasks.js';
import type { PersonWithPassword } from '../support/world.js';
import { ACTOR_MATRIX, STANDINGS } from './actor-matrix.js';
import { verbsOf } from '../support/verbs.js';

const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString();

const app = useApp({
  env: { WEB_PUSH_PRIVATE_KEY: randomBytes(32).toString('base64url'), WEB_PUSH_SUBJECT: 'mailto:ops@example.org' },
});
const { world } = app;
const signal = AbortSignal.timeout(600_000);

const { ok } = verbsOf(app);
const runDue = async (topic: { name: string }) => {
  await app.db.collection('tasks').updateMany({ topic: topic.name }, { $set: { runAt: new Date(Date.now() - 1_000) } });
  await runTasks(app, [topic], signal);
};
const mailsTo = async ({ email }: PersonWithPassword, subject: RegExp) =>
  (await queuedMails(app)).filter((mail) => mail.to === email && subject.test(mail.subject)).length > 0;
const commentOn = async (person: PersonWithPassword) => {
  await world.comment({ by: await world.person(), on: (await world.post({ by: person })).id });
};

/** Prepares the work of an account in good standing. The returned function runs it, and returns whether it acted for the account. */
const WORK: Record<string, (person: PersonWithPassword) => Promise<() => Promise<boolean>>> = {
  'task draft.due': async (person) => {
    const title = `Of ${person.username}`;
    const draft = { title, content: 'It weaves.', type: 'article' };
    const { id } = await ok(person, 'POST', 'drafts', draft);
    await ok(person, 'PUT', `drafts/${id}/schedule`, { publishAt: IN_AN_HOUR });
    return async () => {
      await app.db
        .collection('drafts')
        .updateOne({ _id: new ObjectId(id as string) }, { $set: { publishAt: new Date() } });
      await runDue(DRAFT_DUE);
      return (await app.db.collection('posts').countDocuments({ title })) === 1;
    };
  },
  'task export.requested': async (person) => {
    await ok(person, 'POST', 'users/me/exports', { password: person.password });
    return async () => {
      await runDue(EXPORT_REQUESTED);
      return mailsTo(person, /export is ready/);
    };
  },
  'task import.started': async (person) => {
    const bytes = await zipOf({ 'posts/a.md': hugoPost({ title: `Of ${person.username}` }, 'It weaves.') });
    await app.client.post('/v1/users/me/imports', { token: person.token, ...formOf({ bytes }) });
    return async () => {
      await runDue(IMPORT_STARTED);
      return (await app.db.collection('drafts').countDocuments({ title: `Of ${person.username}` })) === 1;
    };
  },
  'task password-reset.asked': async (person) => {
    await ok(person, 'POST', 'auth/password-reset', { email: person.email });
    return async () => {
      await runDue(PASSWORD_RESET_REQUESTED);
      return mailsTo(person, /new password/);
    };
  },
  'task push': async (person) => {
    const endpoint = `https://push.example/${person.username}`;
    const p256dh = 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM';
    const keys = { p256dh, auth: randomBytes(16).toString('base64url') };
    await ok(person, 'PATCH', 'notifications/settings', { comment: 'push' });
    await ok(person, 'POST', 'notifications/push-subscriptions', { endpoint, keys });
    await commentOn(person);
    await app.app.get(ActivityProcessorService).drain(signal);
    return async () => {
      const outgoing = jest.spyOn(app.app.get(SafeHttpClient), 'fetch').mockResolvedValue(new Response());
      await runDue(PUSH);
      const isSent = outgoing.mock.calls.some(([url]) => url === endpoint);
      outgoing.mockRestore();
      return isSent;
    };
  },
  'task webhook.delivery': async (person) => {
    const url = `https://hooks.example/${person.username}`;
    await ok(person, 'POST', 'webhooks', { url, events: ['comment.created'] });
    await commentOn(person);
    await app.app.get(ActivityProcessorService).drain(signal);
    return async () => {
      const outgoing = jest.spyOn(app.app.get(SafeHttpClient), 'fetch').mockResolvedValue(new Response());
      await runDue(WEBHOOK_DELIVERY);
      const isSent = outgoing.mock.calls.some(([called]) => called === url);
      outgoing.mockRestore();
      return isSent;
    };
  },
  'task mail': async (person) => {
    await ok(person, 'PATCH', 'notifications/settings', { comment: 'mail' });
    await commentOn(person);
    await app.app.get(ActivityProcessorService).drain(signal);
    return async () => {
      const transport = jest.spyOn(app.app.get(MailTransport), 'deliver').mockResolvedValue();
      await runDue(MAIL);
      const isSent = transport.mock.calls.some(
        ([, { to, subject }]) => to === person.email && /commented/.test(subject),
      );
      transport.mockRestore();
      return isSent;
    };
  },
  'job digests': async (person) => {
    await commentOn(person);
    await app.app.get(ActivityProcessorService).drain(signal);
    await ok(person, 'PATCH', 'notifications/settings', { digest: 'daily' });
    return async () => {
      const due = { $set: { nextDigestAt: new Date() } };
      await app.db.collection('notification_states').updateOne({ _id: person._id }, due);
      await app.app.get(DigestJob).run(signal);
      return mailsTo(person, /digest/);
    };
  },
  'facts notifications': async (person) => {
    await ok(person, 'PATCH', 'notifications/settings', { comment: 'mail' });
    await commentOn(person);
    return async () => {
      await app.app.get(ActivityProcessorService).drain(signal);
      return mailsTo(person, /commented on/);
    };
  },
  'message event': async (person) => {
    const { id: postId } = await world.post({ by: await world.person() });
    const of = <T>(provider: abstract new (...args: any[]) => T): T => app.app.get(provider);
    const parts = [of(MongoService), of(PostEventWriterService), of(UserAccountsService), of(AppConfig)] as const;
    return async () => {
      const value = Buffer.from(JSON.stringify({ postId, kind: 'read', userId: person.id }));
      const message = { topic: 'events', partition: 0, offset: 0n, timestamp: BigInt(Date.now()), value };
      await new EventConsumerService(...parts).store([message]);
      const post = await app.db.collection('posts').findOne({ _id: new ObjectId(postId) });
      return post!['stats'].readsCount === 1 && post!['visitors'].reads === 0;
    };
  },
};

describe('the matrix of actors', () => {
  const decided = ACTOR_MATRIX.map(({ operation }) => operation);

  it('has every topic, job, handler of facts and consumer, and no other', () => {
    const topics = app.app.get(TaskHandlers).topics();
    const sources = execFileSync('git', ['ls-files', 'src']).toString().trim().split('\n');
    const text = sources.filter((file) => file.endsWith('.ts')).map((file) => readFileSync(file, 'utf8'));
    const valueOf = (name: string, one: string) => new RegExp(`const ${name} = '([^']+)'`).exec(one)?.[1];
    const named = (name: string, one: string): string =>
      /^'(.*)'$/.exec(name)?.[1] ?? valueOf(name, one) ?? valueOf(name, text.join('\n'))!;
    const jobs = text.flatMap((one) =>
      [...one.matchAll(/(?:@Leased<\w+>|triggers\.register)\(('[^']+'|\w+)/g)].map(([, name]) => named(name!, one)),
    );
    const facts = text.flatMap((one) =>
      [...one.matchAll(/activity\.register\(\{ name(?:: ('[^']+'))?/g)].map(([, name = 'name']) => named(name, one)),
    );

    expect([...decided].sort()).toEqual(
      [
        ...topics.map((name) => `task ${name}`),
        ...jobs.map((name) => `job ${name}`),
        ...facts.map((name) => `facts ${name}`),
        'message event',
      ].sort(),
    );
  });

  it.each(ACTOR_MATRIX.filter(({ actsFor }) => actsFor !== '-'))('holds for $operation', async (row) => {
    const acted: Record<string, string> = {};

    for (const level of STANDINGS) {
      const person = await world.person({ overHttp: true });
      const verified = { $set: { emailVerifiedAt: new Date() } };
      await app.db.collection('credentials').updateOne({ _id: person._id }, verified);
      const run = await WORK[row.operation]!(person);
      const standing = level === 'good' ? null : { level, until: null, actionId: new ObjectId() };
      await app.app.get(MongoService).transaction((tx) => app.app.get(StandingsService).set(person._id, standing, tx));
      acted[level] = (await run()) ? 'yes' : 'no';
    }

    expect(acted).toEqual(row.expected);
  });
});
