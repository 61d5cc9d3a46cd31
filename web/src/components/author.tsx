import { type Author, nameOf, profilePath } from '../api.js';

/** Initials on one of six colors, or the image of the account. Decorative: the name stands beside it. */
export function Avatar({ author, size }: { author: Author; size: 24 | 32 | 44 | 96 }) {
  const { profilePicture, username } = author;
  if (profilePicture !== null)
    return <img class={`avatar size-${size}`} src={profilePicture} alt="" width={size} height={size} loading="lazy" />;
  const color = [...username].reduce((sum, letter) => sum + letter.codePointAt(0)!, 0) % 6;
  const initial = [...nameOf(author)][0]!.toUpperCase();
  return (
    <span class={`avatar initial color-${color} size-${size}`} aria-hidden="true">
      {initial}
    </span>
  );
}

export function AuthorLink({ author }: { author: Author }) {
  return (
    <a class="author" href={profilePath(author)} dir="auto">
      {nameOf(author)}
    </a>
  );
}
