import { SelectField } from '../account/request-form.js';
import { useLoaded } from '../account/use-loaded.js';
import type { Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { useOptimistic } from '../viewer/use-optimistic.js';
import { SettingsForm, useAccount } from './parts.js';
import { Push } from './push.js';

type Settings = Schemas['NotificationSettings'];
type Delivery = Schemas['NotificationDelivery'];
type Way = 'app' | 'mail' | 'push';
const HOURS = Object.fromEntries(Array.from({ length: 24 }, (_, hour) => [hour, `${hour}:00`]));

export function Notifications() {
  const { data, wait } = useLoaded(async () => {
    const [settings, push] = await Promise.all([
      unwrap(api.GET('/v1/notifications/settings', {})),
      api.GET('/v1/notifications/push-key', {}),
    ]);
    return { settings, pushKey: push.data?.publicKey };
  });
  if (data === undefined) return wait;
  return (
    <>
      <Deliveries settings={data.settings} hasPush={data.pushKey !== undefined} />
      <Digest settings={data.settings} />
      {data.pushKey !== undefined && <Push publicKey={data.pushKey} />}
    </>
  );
}

/** Each change is saved at once. */
function Deliveries({ settings, hasPush }: { settings: Settings; hasPush: boolean }) {
  const texts = useTexts().settings.notifications;
  const { role } = useAccount().account;
  const [state, change] = useOptimistic(settings);
  const ways: Way[] = hasPush ? ['app', 'mail', 'push'] : ['app', 'mail'];
  const kinds = (Object.keys(texts.kinds) as (keyof typeof texts.kinds)[]).filter(
    (kind) => kind !== 'case' || role !== 'user',
  );
  return (
    <table class="deliveries">
      <thead>
        <tr>
          <th scope="col">{texts.kind}</th>
          {ways.map((way) => (
            <th key={way} scope="col">
              {texts.ways[way]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {kinds.map((kind) => (
          <tr key={kind}>
            <th scope="row">{texts.kinds[kind]}</th>
            {ways.map((way) => (
              <td key={way}>
                <input
                  type="checkbox"
                  aria-label={`${texts.ways[way]}: ${texts.kinds[kind]}`}
                  checked={has(state[kind], way)}
                  onChange={() => {
                    const body = { [kind]: toggled(state[kind], way) };
                    void change(body, () => api.PATCH('/v1/notifications/settings', { body }));
                  }}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function has(delivery: Delivery, way: Way): boolean {
  return way === 'app' ? delivery !== 'off' : delivery === way || delivery === 'mail_and_push';
}

/** Mailed and pushed notifications are in the list, too. */
function toggled(delivery: Delivery, way: Way): Delivery {
  if (way === 'app') return delivery === 'off' ? 'app' : 'off';
  const isOn = (one: Way): boolean => (one === way) !== has(delivery, one);
  if (isOn('mail')) return isOn('push') ? 'mail_and_push' : 'mail';
  return isOn('push') ? 'push' : 'app';
}

function Digest({ settings: { from, threads, digest, digestHour, timeZone } }: { settings: Settings }) {
  const { notifications: texts, save, saved } = useTexts().settings;
  const zone = digest === 'off' ? Intl.DateTimeFormat().resolvedOptions().timeZone : timeZone;
  return (
    <SettingsForm
      action={save}
      message={saved}
      send={(values) =>
        api.PATCH('/v1/notifications/settings', {
          body: { ...(values as Partial<Settings>), digestHour: Number(values['digestHour']), timeZone: zone },
        })
      }
    >
      <SelectField name="from" label={texts.from} value={from} options={texts.froms} />
      <SelectField name="threads" label={texts.threads} value={threads} options={texts.threadsOf} />
      <SelectField name="digest" label={texts.digest} value={digest} options={texts.digests} />
      <SelectField
        name="digestHour"
        label={texts.hour}
        hint={texts.hourHint(zone)}
        value={String(digestHour)}
        options={HOURS}
      />
    </SettingsForm>
  );
}
