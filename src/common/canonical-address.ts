import { domainToASCII } from 'node:url';
import { isEmail } from 'class-validator';

export const MAX_ADDRESS_LENGTH = 254;
/** Invisible characters would give one mailbox many spellings. */
const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/**
 * The canonical spelling of an e-mail address: composed, in lower case, its domain in ASCII. Null if the text is not an address. Every
 * caller uses this one function, so a mailbox is one account and one counter of mails.
 */
export function canonicalAddress(text: string): string | null {
  const given = text.trim();
  if (given.length > MAX_ADDRESS_LENGTH || INVISIBLE.test(given) || given.startsWith('"') || !isEmail(given))
    return null;
  const at = given.lastIndexOf('@');
  const address = `${lower(given.slice(0, at))}@${domainToASCII(given.slice(at + 1))}`;
  return isEmail(address) && address.length <= MAX_ADDRESS_LENGTH ? address : null;
}

/** The mailbox of a canonical address: most servers deliver `name+anything` to `name`. */
export function mailboxOf(address: string): string {
  return address.replace(/^([^+@]+)\+[^@]*@/, '$1@');
}

function lower(local: string): string {
  return local.normalize('NFC').toLowerCase().normalize('NFC');
}
