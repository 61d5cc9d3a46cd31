import { OpenCanvas } from '../../sdk/src/client.js';
import { unwrap } from '../../sdk/src/problem.js';
import { MemoryStorage } from '../../sdk/src/session.js';
import { collectionPath, nameOf, postPath, type Schemas } from './api.js';
import { SESSION_KEY } from './session-mark.js';
import { loadPublicTexts } from './texts/browser.js';
import type { PublicTexts } from './texts/en.js';

type Notification = Schemas['Notification'];
type WorkerEvent = { waitUntil: (work: Promise<unknown>) => void };
type PushEvent = WorkerEvent & { data: { json: () => { id: string } } };
type ClickEvent = WorkerEvent & { notification: { data: string; close: () => void } };

/** The used part of a service worker's scope. */
const worker = globalThis as unknown as {
  registration: ServiceWorkerRegistration;
  clients: { openWindow: (path: string) => Promise<unknown> };
  addEventListener: ((type: 'push', listener: (event: PushEvent) => void) => void) &
    ((type: 'notificationclick', listener: (event: ClickEvent) => void) => void);
};
const MAX_LISTED = 50;

worker.addEventListener('push', (event) => event.waitUntil(show(event.data.json().id)));
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(worker.clients.openWindow(event.notification.data));
});

/** Shows the notification of a message, which has only its id. Browsers require that each message shows something. */
async function show(id: string): Promise<void> {
  const { account: texts } = await loadPublicTexts(navigator.languages);
  const found = await find(id).catch(() => undefined);
  const [title, body] = found === undefined ? [texts.newNotification, ''] : [sentenceOf(found, texts), textOf(found)];
  // A later message of the same notification replaces it.
  await worker.registration.showNotification(title, { body, tag: id, data: found ? pathOf(found) : '/notifications' });
}

/** Undefined without a session, or in the session of another account. */
async function find(id: string): Promise<Notification | undefined> {
  const storage = new MemoryStorage();
  // Only the cookie knows whether there is a session.
  storage.setItem(SESSION_KEY, '');
  const options = { baseUrl: location.origin, cookie: true, storage, storageKey: SESSION_KEY, retries: 1 };
  const query = { limit: MAX_LISTED };
  const { data } = await unwrap(new OpenCanvas(options).GET('/v1/notifications', { params: { query } }));
  return data.find((one) => one.id === id);
}

function sentenceOf({ kind, actors, actorsCount, ...row }: Notification, texts: PublicTexts['account']): string {
  const others = actorsCount - actors.length;
  const names = [actors.map(nameOf).join(', '), others > 0 ? texts.andOthers(others) : ''];
  return [...names, texts.kinds[kind], (row.post ?? row.collection)?.title].filter(Boolean).join(' ');
}

const textOf = ({ comment }: Notification): string => comment?.content ?? '';

function pathOf({ post, collection, action, comment }: Notification): string {
  if (post !== null) return postPath(post) + (comment === null ? '' : `#comment-${comment.id}`);
  if (collection !== null) return collectionPath(collection);
  return action === null ? '/notifications' : `/moderation#action=${action.id}`;
}
