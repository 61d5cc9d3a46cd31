/** Routes and roles, which no username may equal. */
const ROUTES =
  'me top mine saved feed posts users auth comments follow followers following featured interactions search tags ' +
  'login logout register refresh settings account password docs openapi health metrics status help about ' +
  'mods null undefined true false api_v1 suggested known stats for_you webhooks imports pages viewer';

/** Whole names that look like the operator's. */
const OPERATOR_NAMES =
  'root system staff official security anonymous deleted everyone nobody webmaster postmaster noreply ' +
  'deletedaccount deleteduser supportteam helpdesk';

/** Words that are reserved even as one word of a name: `support_team`, "Admin Ada". */
const OPERATOR_WORDS = 'admin admins administrator administrators moderator moderators support';

/** Reserved anywhere in a name. */
const PRODUCT_NAME = 'opencanvas';

// Pairs of a character and the Latin letter that it resembles, from the confusables of Unicode (UTS 39); capitals first, because a
// capital may resemble another letter than its lower-case form.
const CAPITALS = lookAlikes('АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ХX ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX');
const LETTERS = lookAlikes(
  'аa вb еe ѕs іi јj кk мm нh оo рp сc тt уy хx ԁd ԛq ԝw һh ӏl αa βb εe ηn ιi κk νv οo ρp τt υu χx γy ωw ոn օo ' +
    'ɑa ɡg ıi łl øo đd ħh ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ' +
    '0o 1l 3e 4a 5s 7t 8b 9g @a $s !l |l €e',
);

/** Reserved names; names that look like one of them are refused, too. */
export const RESERVED_USERNAMES = `${ROUTES} ${OPERATOR_NAMES} ${OPERATOR_WORDS} ${PRODUCT_NAME}`.split(' ');

const reservedUsernames = skeletons(RESERVED_USERNAMES.join(' '));
const operatorNames = skeletons(`${OPERATOR_NAMES} ${OPERATOR_WORDS}`);
const operatorWords = skeletons(OPERATOR_WORDS);
const productName = skeleton(PRODUCT_NAME);

/** Whether a username is a route or a role, or looks like a name of the operator. */
export function isReservedUsername(username: string): boolean {
  return reservedUsernames.has(skeleton(username)) || impersonatesOperator(username);
}

/** Whether readers would take a name for the operator's own, in any script and with any number at its end. */
export function impersonatesOperator(name: string): boolean {
  const isIn = (words: Set<string>, text: string): boolean =>
    words.has(skeleton(text)) || words.has(skeleton(text.replace(/(?<!\d)\d+$/, '')));
  return (
    isIn(operatorNames, name) ||
    skeleton(name).includes(productName) ||
    name.split(/[^\p{L}\p{N}\p{M}\p{Cf}@$!|]+/u).some((word) => isIn(operatorWords, word))
  );
}

/** Returns the skeleton of a name, which is equal for two names that look alike. Letters without a look-alike are dropped. */
function skeleton(name: string): string {
  const latin = [...name.normalize('NFKD')].map((letter) => CAPITALS.get(letter) ?? letter).join('');
  const letters = [...latin.toLowerCase()].map((letter) => LETTERS.get(letter) ?? letter).join('');
  return (
    letters
      .replace(/[^a-z0-9]/g, '')
      // a capital i looks like a lower-case l
      .replaceAll('i', 'l')
      .replaceAll('rn', 'm')
      .replaceAll('vv', 'w')
  );
}

function skeletons(words: string): Set<string> {
  return new Set(words.split(' ').map(skeleton));
}

function lookAlikes(pairs: string): Map<string, string> {
  return new Map(pairs.split(' ').map((pair) => [...pair] as [string, string]));
}
