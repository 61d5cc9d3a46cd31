import { useState } from 'preact/hooks';
import { go } from '../account/address.js';
import { Done } from '../account/account-page.js';
import { Field, SelectField } from '../account/request-form.js';
import { Rows, useRows } from '../account/rows.js';
import { useLoaded } from '../account/use-loaded.js';
import { nameOf, profilePath, withQuery, type Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { Avatar } from '../components/author.js';
import { useTexts } from '../components/context.js';
import { Moment, Time } from '../components/time.js';
import { DecisionForm } from './decision-form.js';
import { Log } from './log.js';

type Listed = Schemas['ListedAccount'];
const ROLES = ['user', 'moderator', 'admin'] as const;
const LEVELS = ['limited', 'suspended', 'banned'] as const;

/** Accounts by the beginning of the username. */
export function Accounts({ query }: { query: URLSearchParams }) {
  const texts = useTexts().moderation;
  const q = query.get('q') ?? '';
  const role = ROLES.find((one) => one === query.get('role'));
  const standing = LEVELS.find((one) => one === query.get('standing'));
  const list = useRows((cursor) => {
    const filter = { ...(q && { q }), ...(role && { role }), ...(standing && { standing }), ...cursor };
    return unwrap(api.GET('/v1/admin/users', { params: { query: filter } }));
  });
  const search = (event: SubmitEvent & { currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    go(withQuery('/moderation/accounts', values));
  };
  return (
    <>
      <form class="filters" onSubmit={search}>
        <Field name="q" label={texts.usernameBegins} value={q} maxLength={16} isOptional />
        <SelectField name="role" label={texts.role} value={role} options={texts.roles} isOptional />
        <SelectField name="standing" label={texts.standing} value={standing} options={texts.levels} isOptional />
        <button class="button">{texts.find}</button>
      </form>
      <Rows list={list} empty={texts.noAccounts}>
        {(row) => <Item key={row.id} {...row} />}
      </Rows>
    </>
  );
}

function Item(account: Listed) {
  const texts = useTexts();
  const { id, username, role, standing, createdAt, stats } = account;
  return (
    <li>
      <p class="account-row">
        <Avatar author={account} size={32} />
        <a class="author" href={`/moderation/accounts/${id}`} dir="auto">
          {nameOf(account)}
        </a>
        <span class="small soft">
          @{username} · {texts.moderation.roles[role]} · {texts.postsCount(stats.postsCount)} · <Time at={createdAt} />
        </span>
      </p>
      {standing !== null && <strong class="failure">{texts.moderation.levels[standing.level]}</strong>}
    </li>
  );
}

/** One account: its standing, what moderators know of it, and a decision about it. */
export function AccountDetails({ id }: { id: string }) {
  const texts = useTexts();
  const { moderation } = texts;
  const [count, setCount] = useState(0);
  const { data, wait, reload } = useLoaded(async () => {
    const params = { path: { id } };
    const [account, related] = await Promise.all([
      unwrap(api.GET('/v1/admin/users/{id}', { params })),
      unwrap(api.GET('/v1/admin/users/{id}/related', { params })),
    ]);
    return { account, related: related.data };
  });
  if (data === undefined) return wait;
  const { account, related } = data;
  const { username, role, standing, previousUsernames, isEmailVerified, lastSignInAt, createdAt, stats, bio } = account;
  return (
    <div class="case">
      <article>
        <h2 dir="auto">{nameOf(account)}</h2>
        <p>
          <a href={profilePath(account)}>@{username}</a> · {moderation.roles[role]} ·{' '}
          {texts.postsCount(stats.postsCount)}
        </p>
        {standing !== null && (
          <p class="failure">
            <strong>{moderation.levels[standing.level]}</strong>
            {standing.until !== null && (
              <>
                {' '}
                {texts.account.until} <Moment at={standing.until} />
              </>
            )}
          </p>
        )}
        <p class="plain" dir="auto">
          {bio}
        </p>
        <p class="small soft">
          {texts.joined} <Moment at={createdAt} />
          {lastSignInAt !== null && (
            <>
              {` · ${moderation.lastSignIn} `}
              <Moment at={lastSignInAt} />
            </>
          )}
          {` · ${isEmailVerified ? moderation.verified : moderation.unverified}`}
          {previousUsernames.length > 0 && ` · ${moderation.previously(previousUsernames.join(', '))}`}
        </p>
      </article>
      <section class="decision">
        {count > 0 && <Done key={count}>{moderation.decided}</Done>}
        <DecisionForm
          key={count}
          target={{ kind: 'user', id }}
          accountId={id}
          done={() => {
            setCount(count + 1);
            reload();
          }}
          changed={reload}
        />
      </section>
      <section>
        <h2>{moderation.related}</h2>
        {related.length === 0 && <p class="soft">{moderation.noActions}</p>}
        <ul class="rows">
          {related.map((row) => (
            <Item key={row.account.id} {...row.account} />
          ))}
        </ul>
        <h2>{moderation.titles.log}</h2>
        <Log key={count} targetId={id} />
      </section>
    </div>
  );
}
