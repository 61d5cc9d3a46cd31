import { domainToASCII } from 'node:url';
import { isEmail } from 'class-validator';

export const MAX_ADDRESS_LENGTH = 254;
/** Invisible characters would give one mailbox many spellings. */
const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Returns the canonical spelling of an e-mail address (NFKC, lower case, ASCII domain), or null if the text is not an address.
 * Every caller uses this function, so that a mailbox has one account and one mail counter.
 */
export function canonicalAddress(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.length > MAX_ADDRESS_LENGTH) return null;
  // Letters of another width, ligatures and signs such as ﹫ equal their plain forms.
  const given = trimmed.normalize('NFKC');
  if (INVISIBLE.test(given) || given.startsWith('"') || !isEmail(given)) return null;
  const at = given.lastIndexOf('@');
  const address = `${lower(given.slice(0, at))}@${domainToASCII(given.slice(at + 1))}`;
  return isEmail(address) && address.length <= MAX_ADDRESS_LENGTH ? address : null;
}

/** Domains of one provider that ignores dots in names. */
const GMAIL = /@(gmail|googlemail)\.com$/;

/** Returns the mailbox of a canonical address: most servers deliver `name+anything` to `name`, and Gmail ignores dots. */
export function mailboxOf(address: string): string {
  const mailbox = address.replace(/^([^+@]+)\+[^@]*@/, '$1@');
  return GMAIL.test(mailbox) ? `${mailbox.slice(0, mailbox.indexOf('@')).replaceAll('.', '')}@gmail.com` : mailbox;
}

function lower(local: string): string {
  return local.toLowerCase().normalize('NFKC');
}
