// Properties of scripts, each as the inside of a character class of a regular expression with the flag `u`.

const classOf = (scripts: string): string =>
  scripts.replace(/\w+/g, (script) => String.raw`\p{sc=${script}}`).replace(/\s+/g, '');

/** Scripts without spaces between words. The sign of a long vowel belongs to no script. */
export const UNSPACED = `ーｰ${classOf(`
  Han Hiragana Katakana Bopomofo Yi Nushu Tangut Thai Lao Khmer Myanmar Tai_Le New_Tai_Lue Tai_Tham Tai_Viet Ahom Javanese Balinese
`)}`;

export const HANGUL = classOf('Hangul');
export const HEBREW = classOf('Hebrew');

/** Scripts whose letters stand directly beside a name: those without spaces, particles of Korean, and syllables of Tibetan. */
export const BESIDE_NAMES = UNSPACED + HANGUL + classOf('Tibetan');

export const RIGHT_TO_LEFT = classOf(`
  Hebrew Arabic Syriac Thaana Nko Samaritan Mandaic Adlam Hanifi_Rohingya Mende_Kikakui Yezidi Phoenician Imperial_Aramaic Nabataean
  Palmyrene Hatran Manichaean Avestan Old_South_Arabian Old_North_Arabian Old_Turkic Old_Hungarian Sogdian Old_Sogdian Chorasmian Elymaic
  Lydian Kharoshthi Cypriot Meroitic_Hieroglyphs Meroitic_Cursive Inscriptional_Parthian Inscriptional_Pahlavi Psalter_Pahlavi Old_Uyghur
`);
