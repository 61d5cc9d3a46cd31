/** Path of `push-worker.ts`. The build replaces the name (scripts/lib/site.mjs). */
declare const PUSH_WORKER: string;

type Policy = { createScriptURL: (path: string) => string };
const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy: (name: string, rules: Policy) => Policy } };
const policy = trustedTypes?.createPolicy('push-worker', { createScriptURL: () => PUSH_WORKER });

/** Without TLS, browsers have none of these. */
export const CAN_PUSH = ['Notification', 'PushManager', 'ServiceWorkerRegistration'].every(
  (name) => name in globalThis,
);

/** Its scope is its folder, which has no pages: it handles no requests of the site. */
const register = (): Promise<ServiceWorkerRegistration> =>
  navigator.serviceWorker.register(policy?.createScriptURL('') ?? PUSH_WORKER);

/** Replaces an existing subscription, which can be of another account or key. @throws if the browser cannot */
export async function subscribe(applicationServerKey: string): Promise<PushSubscription> {
  const registration = await register();
  const worker = registration.installing ?? registration.waiting;
  if (registration.active === null && worker !== null)
    await new Promise<void>((resolve) => {
      worker.onstatechange = () => ['activated', 'redundant'].includes(worker.state) && resolve();
    });
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  return registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

/** The subscription of this browser, whose worker is brought up to date. */
export async function currentSubscription(): Promise<PushSubscription | undefined> {
  if (!CAN_PUSH) return undefined;
  const registration = await navigator.serviceWorker.getRegistration(PUSH_WORKER);
  const subscription = await registration?.pushManager.getSubscription();
  if (subscription) await register();
  return subscription ?? undefined;
}

/** The id that the API gives a subscription. */
export async function idOf({ endpoint }: PushSubscription): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint)));
  return btoa(String.fromCharCode(...hash))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
