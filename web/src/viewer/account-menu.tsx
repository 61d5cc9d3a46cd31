import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { nameOf, profilePath } from '../api.js';
import { account, api, watchAccount } from '../client.js';
import { Avatar } from '../components/author.js';
import { TextsContext, useTexts } from '../components/context.js';
import { SignInLinks } from '../components/layout.js';
import type { Texts } from '../texts/en.js';
import { watchNotifications } from './notification-stream.js';

const PAGES = ['write', 'drafts', 'stats', 'for-you', 'following', 'saved-posts', 'settings'] as const;
const PAGES_OF_ROLES = {
  user: [],
  moderator: ['moderation'],
  admin: ['moderation', 'operations', 'site-settings'],
} as const;

/** Replaces the links of the header by the menu of the account, after a sign-in. */
export function showAccountMenu(texts: Texts): void {
  const place = document.getElementById('account');
  if (place === null || place.childElementCount === 0) return;
  place.lang = texts.language;
  place.replaceChildren();
  render(
    <TextsContext.Provider value={texts}>
      <AccountMenu />
    </TextsContext.Provider>,
    place,
  );
}

function AccountMenu() {
  const texts = useTexts().viewer;
  const [user, setUser] = useState(account);
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const unwatch = watchAccount(setUser);
    api.resume().catch(() => undefined);
    return unwatch;
  }, []);
  if (user === undefined) return <SignInLinks to={location.pathname + location.search} />;
  const close = (): void => void (menu.current!.open = false);
  const leave = ({ relatedTarget }: FocusEvent): void => {
    if (relatedTarget !== null && !menu.current!.contains(relatedTarget as Node)) close();
  };
  const escape = ({ key }: KeyboardEvent): void => {
    if (key !== 'Escape') return;
    close();
    menu.current!.querySelector('summary')!.focus();
  };
  return (
    <>
      <Bell key={user.id} />
      <details class="menu" ref={menu} onFocusOut={leave} onKeyDown={escape}>
        <summary aria-label={texts.menu(nameOf(user))}>
          <Avatar author={user} size={32} />
        </summary>
        <ul>
          <li>
            <a href={profilePath(user)} dir="auto">
              {nameOf(user)}
            </a>
          </li>
          {[...PAGES, ...PAGES_OF_ROLES[user.role]].map((page) => (
            <li key={page}>
              <a href={`/${page}`}>{texts.pages[page]}</a>
            </li>
          ))}
          <li>
            <button type="button" onClick={() => void api.signOut()}>
              {texts.signOut}
            </button>
          </li>
        </ul>
      </details>
    </>
  );
}

/** The link to the notifications, with the number of unread ones. */
function Bell() {
  const texts = useTexts().viewer;
  const [count, setCount] = useState(0);
  useEffect(() => watchNotifications((event) => event.event === 'unread' && setCount(event.data.count)), []);
  return (
    <a class="bell" href="/notifications" aria-label={texts.bell(count)}>
      {count > 0 && <span>{count}</span>}
    </a>
  );
}
