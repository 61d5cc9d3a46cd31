import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { unwrap } from '../../../sdk/src/problem.js';
import { AccountPage, Done } from '../account/account-page.js';
import { SignedIn } from '../account/signed-in.js';
import { useLoaded } from '../account/use-loaded.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';
import type { Texts } from '../texts/en.js';
import { Deletion, Exports } from './data.js';
import { ApiTokens, Blocks, Filters, Identities, Passkeys, Sessions } from './lists.js';
import { Notifications } from './notifications.js';
import { CurrentAccount } from './parts.js';
import { EmailAddress, Password } from './password.js';
import { Profile } from './profile.js';
import { SecondFactor } from './second-factor.js';

type Name = keyof Texts['settings']['sections'];

/** Each is at `/settings/<name>`, and loads its data when it is open. */
const SECTIONS: Record<Name, ComponentType> = {
  profile: Profile,
  email: EmailAddress,
  password: Password,
  passkeys: Passkeys,
  'second-factor': SecondFactor,
  sessions: Sessions,
  tokens: ApiTokens,
  identities: Identities,
  notifications: Notifications,
  filters: Filters,
  blocks: Blocks,
  exports: Exports,
  deletion: Deletion,
};
const NAMES = Object.keys(SECTIONS) as Name[];
const pathOf = (name: Name): string => `/settings/${name}`;
const nameOfPath = (): Name => NAMES.find((name) => pathOf(name) === location.pathname) ?? 'profile';

/** `/settings`: what an account decides about itself. */
export function SettingsPage() {
  const texts = useTexts().settings;
  const [name, setName] = useState(nameOfPath);
  const [isDeleted, setDeleted] = useState(false);
  useEffect(() => {
    const open = (): void => setName(nameOfPath());
    addEventListener('popstate', open);
    return () => removeEventListener('popstate', open);
  }, []);
  const deleted = (): void => {
    setDeleted(true);
    void api.signOut().catch(() => undefined);
  };
  const go = (next: Name): void => {
    history.pushState(null, '', pathOf(next));
    setName(next);
  };
  if (isDeleted)
    return (
      <AccountPage title={texts.sections.deletion}>
        <Done>{texts.deletion.done}</Done>
      </AccountPage>
    );
  return (
    <AccountPage title={texts.title} part={texts.sections[name]} isWide>
      <SignedIn>
        <div class="settings">
          <Navigation current={name} go={go} />
          <Section name={name} deleted={deleted} />
        </div>
      </SignedIn>
    </AccountPage>
  );
}

function Navigation({ current, go }: { current: Name; go: (name: Name) => void }) {
  const texts = useTexts().settings;
  const list = useRef<HTMLElement>(null);
  // On a phone, the links are one line that scrolls.
  useEffect(() => {
    const link = list.current!.querySelector<HTMLElement>('[aria-current]')!;
    list.current!.scrollLeft = link.offsetLeft - list.current!.offsetLeft - 16;
  }, [current]);
  const open = (name: Name) => (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(name);
  };
  return (
    <nav class="sections" aria-label={texts.title} ref={list}>
      {NAMES.map((name) => (
        <a key={name} href={pathOf(name)} aria-current={name === current ? 'page' : undefined} onClick={open(name)}>
          {texts.sections[name]}
        </a>
      ))}
    </nav>
  );
}

function Section({ name, deleted }: { name: Name; deleted: () => void }) {
  const texts = useTexts().settings;
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
  }, [name]);
  const { data, failure } = useLoaded(() => unwrap(api.GET('/v1/auth/me', {})));
  const [changes, setChanges] = useState({});
  const Content = SECTIONS[name];
  return (
    <section class="section" key={name}>
      <h2 tabIndex={-1} ref={heading}>
        {texts.sections[name]}
      </h2>
      {failure !== undefined && <p role="alert">{failure}</p>}
      {data === undefined && failure === undefined && <p role="status">…</p>}
      {data !== undefined && (
        <CurrentAccount.Provider
          value={{
            account: { ...data, ...changes },
            update: (change) => setChanges((before) => ({ ...before, ...change })),
            deleted,
          }}
        >
          <Content />
        </CurrentAccount.Provider>
      )}
    </section>
  );
}
