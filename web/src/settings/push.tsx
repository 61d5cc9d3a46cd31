import { useEffect, useState } from 'preact/hooks';
import { useRows } from '../account/rows.js';
import { useAction } from '../account/use-action.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { Moment } from '../components/time.js';
import { OwnList } from './parts.js';
import { CAN_PUSH, currentSubscription, idOf, subscribe } from './push-subscription.js';

/** Turns push messages in this browser on and off, and lists all browsers of the account that have them. */
export function Push({ publicKey }: { publicKey: string }) {
  const { notifications, remove } = useTexts().settings;
  const texts = notifications.push;
  const list = useRows(() => unwrap(api.GET('/v1/notifications/push-subscriptions', {})));
  const [own, setOwn] = useState<string>();
  const [permission, setPermission] = useState(CAN_PUSH ? Notification.permission : undefined);
  const { run, isBusy, failure } = useAction();
  useEffect(() => {
    void currentSubscription().then(async (current) => current && setOwn(await idOf(current)));
  }, []);

  const send = async () => {
    const answer = await Notification.requestPermission();
    setPermission(answer);
    const subscription = answer === 'granted' && (await subscribe(publicKey).catch(() => false as const));
    if (!subscription)
      return { error: { detail: answer === 'granted' ? texts.failed : '' }, response: Response.error() };
    const { endpoint, keys } = subscription.toJSON() as { endpoint: string; keys: { p256dh: string; auth: string } };
    return api.POST('/v1/notifications/push-subscriptions', { body: { endpoint, keys } });
  };
  const turnOn = () =>
    run(send, (row) => {
      setOwn(row!.id);
      list.add(row!);
    });
  const end = (id: string) => api.DELETE('/v1/notifications/push-subscriptions', { params: { query: { id } } });
  const turnOff = (id: string) =>
    run(
      () => end(id),
      () => {
        list.remove(id);
        void currentSubscription().then((current) => current?.unsubscribe());
      },
    );

  const isOn = list.rows.some(({ id }) => id === own);
  const isBlocked = permission === 'denied';
  const hint = CAN_PUSH ? (isBlocked ? texts.blocked : isOn ? texts.on : texts.off) : texts.unsupported;
  return (
    <>
      <h3>{notifications.devices}</h3>
      <label class="check">
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          disabled={!list.isLoaded || (!isOn && (isBlocked || !CAN_PUSH))}
          aria-disabled={isBusy}
          aria-describedby="push-hint"
          onClick={(event) => {
            // It changes when the server has confirmed.
            event.preventDefault();
            void (isOn ? turnOff(own!) : turnOn());
          }}
        />
        <span>{texts.label}</span>
        <span id="push-hint" class="hint small" role="status">
          {hint}
        </span>
      </label>
      <p role="alert" class="failure">
        {failure?.text}
      </p>
      {list.rows.length > 0 && (
        <OwnList
          list={list}
          empty=""
          describe={({ id, host, createdAt }) => [
            host ?? notifications.unknownHost,
            <Moment key="time" at={createdAt} />,
            id === own ? texts.isThis : undefined,
          ]}
          end={remove}
          send={({ id }) => end(id)}
        />
      )}
    </>
  );
}
