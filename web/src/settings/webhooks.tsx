import { useState } from 'preact/hooks';
import { Action } from '../account/action.js';
import { CheckFields, Field, RequestForm, SelectField } from '../account/request-form.js';
import { type List, Rows, useRows } from '../account/rows.js';
import { useLoaded, useReload } from '../account/use-loaded.js';
import type { Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { Moment } from '../components/time.js';
import { useAccount } from './parts.js';

type Webhook = Schemas['Webhook'];
type Event = Schemas['WebhookEvent'];
type Delivery = Schemas['WebhookDelivery'];
type New = Webhook & { secret: string };

/** Events of only one kind of webhook. */
const OWN: Event[] = ['follow.created', 'collection.updated', 'user.updated', 'export.ready', 'import.done'];
const SITE: Event[] = [
  'user.created',
  'user.ended',
  'report.opened',
  'action.taken',
  'registration.pending',
  'rule.hit',
];

const at = (id: string) => ({ params: { path: { id } } });

export function Webhooks() {
  const texts = useTexts().settings.webhooks;
  const list = useRows<Webhook & { secret?: string }>(() => unwrap(api.GET('/v1/webhooks', {})));
  const [times, setTimes] = useState(0);
  const created = (webhook: New | undefined): void => {
    list.add(webhook!);
    setTimes(times + 1);
  };
  return (
    <>
      <p>{texts.hint}</p>
      <Rows list={list} empty={texts.empty}>
        {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} list={list} />}
      </Rows>
      <NewWebhook key={times} done={created} />
    </>
  );
}

/** `secret` is known until the page is left. */
function WebhookRow({ webhook, list }: { webhook: Webhook & { secret?: string }; list: List<Webhook> }) {
  const texts = useTexts().settings.webhooks;
  const { id, url, events, isSiteWide, description, isEnabled, disabledReason, secret } = webhook;
  const [isOpen, setOpen] = useState(false);
  const [pings, setPings] = useState(0);
  const replace = (change: Webhook | undefined): void => list.replace({ ...webhook, ...change });
  const pinged = (): void => {
    setPings(pings + 1);
    setOpen(true);
  };
  return (
    <li class="webhook">
      <p>
        <bdi>{url}</bdi>
        {isSiteWide && <span class="mark">{texts.siteWide}</span>}
        {!isEnabled && (
          <span class="mark">{disabledReason === null ? texts.isOff : texts.reasons[disabledReason]}</span>
        )}
        <br />
        <span class="small">
          {description !== '' && <bdi>{description} · </bdi>}
          {events.map((event) => texts.events[event]).join(', ')}
        </span>
      </p>
      {secret !== undefined && <Secret value={secret} />}
      <div class="actions">
        <button
          type="button"
          class="tool"
          aria-expanded={isOpen}
          aria-label={`${texts.deliveries}: ${url}`}
          onClick={() => setOpen(!isOpen)}
        >
          {texts.deliveries}
        </button>
        {isEnabled && (
          <Action label={texts.ping} of={url} send={() => api.POST('/v1/webhooks/{id}/ping', at(id))} done={pinged} />
        )}
        <Action
          label={isEnabled ? texts.turnOff : texts.turnOn}
          of={url}
          send={() => api.PATCH('/v1/webhooks/{id}', { ...at(id), body: { isEnabled: !isEnabled } })}
          done={replace}
        />
        <Action
          label={texts.rotate}
          of={url}
          confirm={texts.confirmRotate}
          send={() => api.POST('/v1/webhooks/{id}/rotate', at(id))}
          done={replace}
        />
        <Action
          label={texts.remove}
          of={url}
          confirm={texts.confirmRemove}
          send={() => api.DELETE('/v1/webhooks/{id}', at(id))}
          done={() => list.remove(id)}
        />
      </div>
      {isOpen && <Deliveries key={pings} id={id} canRepeat={isEnabled} />}
    </li>
  );
}

function Secret({ value }: { value: string }) {
  const texts = useTexts().settings.webhooks;
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => void navigator.clipboard.writeText(value).then(() => setCopied(true));
  return (
    <div class="secret">
      <label class="field">
        <span>{texts.secret}</span>
        <input readOnly dir="ltr" value={value} onFocus={({ currentTarget }) => currentTarget.select()} />
        <span class="hint">{texts.secretHint}</span>
      </label>
      <button type="button" class="tool" onClick={copy}>
        {texts.copy}
      </button>
      <span role="status" class="small">
        {isCopied && texts.copied}
      </span>
    </div>
  );
}

/** The latest ones. Waits for the result of new ones. */
function Deliveries({ id, canRepeat }: { id: string; canRepeat: boolean }) {
  const texts = useTexts().settings.webhooks;
  const query = { limit: 20 };
  const { data, wait, reload } = useLoaded(() =>
    unwrap(api.GET('/v1/webhooks/{id}/deliveries', { params: { path: { id }, query } })),
  );
  const rows = data?.data ?? [];
  useReload(
    reload,
    rows.some(({ state }) => state === 'waiting'),
  );
  if (data === undefined) return wait;
  if (rows.length === 0) return <p class="empty">{texts.noDeliveries}</p>;
  return (
    <ul class="rows" aria-live="polite">
      {rows.map((row) => (
        <li key={row.id}>
          <p>
            {row.type === 'ping' ? texts.ping : texts.events[row.type]}{' '}
            <span class="mark">{texts.states[row.state]}</span>
            <br />
            <span class="small">
              <Moment at={row.createdAt} /> <Attempts of={row} />
            </span>
          </p>
          {canRepeat && row.state !== 'waiting' && (
            <Action
              label={texts.redeliver}
              of={row.id}
              send={() =>
                api.POST('/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver', {
                  params: { path: { id, deliveryId: row.id } },
                })
              }
              done={reload}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function Attempts({ of: { attempts, nextAt } }: { of: Delivery }) {
  const texts = useTexts().settings.webhooks;
  const last = attempts.at(-1);
  if (last === undefined) return null;
  return (
    <>
      {` · ${texts.attempts(attempts.length, String(last.status ?? last.error), last.durationMs)}`}
      {nextAt !== null && ` · ${texts.next} `}
      {nextAt !== null && <Moment at={nextAt} />}
    </>
  );
}

function NewWebhook({ done }: { done: (webhook: New | undefined) => void }) {
  const texts = useTexts().settings.webhooks;
  const isAdmin = useAccount().account.role === 'admin';
  const [isSiteWide, setSiteWide] = useState(false);
  const kind = isSiteWide ? 'site' : 'own';
  const events = (Object.keys(texts.events) as Event[]).filter((event) => !(isSiteWide ? OWN : SITE).includes(event));
  const create = ({ url = '', description = '', ...values }: Record<string, string>) => {
    const chosen = events.filter((event) => event in values);
    return api.POST('/v1/webhooks', { body: { url, description, events: chosen, isSiteWide } });
  };
  return (
    <RequestForm action={texts.create} send={create} done={done}>
      <Field name="url" label={texts.url} hint={texts.urlHint} type="url" maxLength={2_048} />
      <Field name="description" label={texts.description} dir="auto" maxLength={100} isOptional />
      {isAdmin && (
        <SelectField
          name="kind"
          label={texts.kind}
          options={texts.kinds}
          value={kind}
          onChange={(value) => setSiteWide(value === 'site')}
        />
      )}
      <CheckFields legend={texts.eventsLegend} names={events} labels={texts.events} />
    </RequestForm>
  );
}
