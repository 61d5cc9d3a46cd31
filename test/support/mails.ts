import { MAIL, type MailContent, MailService, type QueuedMail } from '../../src/platform/mail/mail.service.js';
import type { Task } from '../../src/platform/work-queue/task.schema.js';
import type { TestApp } from './app.js';

/** Tasks of unsent mails. */
export function mailTasks({ db }: Pick<TestApp, 'db'>) {
  return db.collection<Task<QueuedMail>>('tasks');
}

/** Returns the queued mails of an app without jobs, oldest first. */
export async function queuedMails(app: TestApp): Promise<MailContent[]> {
  const rows = await mailTasks(app).find({ topic: MAIL.name }).sort({ _id: 1 }).toArray();
  return rows.map(({ payload }) => app.app.get(MailService).contentOf(payload)!);
}
