/** Sentences of stories. § is a woman and ¶ a man, whose names each story chooses. */
export const STORY = `
§ [put|set|laid] {a tool} on the [bench|stove|sill] and [sighed|waited|counted the {things}|asked for tea].
"[Have you|Did you] [ever|really] [seen|owned|sold] {a thing} {place}?" ¶ asked.
"[Not|Never] {place}," said §. "[Never again|Not in {month}|Not since {town}|Ask the {people}]."
"You [sound|dress|talk] like {a person}," she told him, and he [took it as praise|laughed|blushed|looked away].
¶ [had come|had walked|had driven] from {town} with {a thing} and [no plan|a cold|one clean shirt|a torn ticket].
[It was|It had been] {an adj} {season}, and {place} the {things} [smelled of rain|made no sound|were for sale|caught the light].
She [knew|remembered|distrusted] every {thing} [in the house|by its sound|that he named].
The {people} [departed|arrived|sang|argued] [at noon|before the rain|without a word|as always].
"[Tell me|Explain to me]," ¶ begged, "what {people} [want|do] with {a thing} [at this hour|in {month}|like that]."
[Nobody|No one] in {town} had [asked|thought] of {act} since the [flood|war|fire|wedding].
He [opened|closed|dropped] the [letter|window|box] and there was {a thing}, [wrapped in paper|still warm|smaller than he remembered].
§ [dreamed|spoke|lied] about {town} [often|twice that week|when it rained].
"{fact}," § [read|recited|whispered]. "[Is it true|Who says so]?"
"[It is|It was] in the [book|paper|sermon]," ¶ answered, "so it [must be|may be|cannot be] [true|nonsense|old]."
At {few} o'clock the [bell|radio|kettle|telephone] [rang|stopped|coughed] and {a person} came in.
{a person} named {name} [owed|promised|sent] them {a tool}.
[Outside|Upstairs|Next door], {act} continued [as if|as though] it were [{day}|{season}|a holiday].
¶ [lifted|turned|held] the {adj} {thing} [to the light|with both hands|as one holds a bird].
"[Careful|Slowly|Wait]," she warned. "That one [bites|sings|is older than you|belongs to {name}]."
[He|She] [drew|scribbled] {a thing} on the [back|edge] of the [bill|menu|ticket].
[Three|Four|Five] [days|nights|weeks] later {place} there was [only|still|again] one {thing}.
[They|The two of them] [walked|rowed|sat] {place} until the [lamps|stars|ferries] appeared.
"[What|Which] {thing}?" "The {adj} one." "[There|Here] is no {adj} one."
[His|Her] [father|mother|aunt] had been {a person} in {town} and had [hated|loved|avoided] {act}.
{trouble} [arrived|began] [on a {day}|in {month}|quietly], as it [always|usually] does.
§ [counted|named|hid] the {things} [again|backwards|one last time].
The [road|train|boat] to {town} [was|ran] [late|empty|full of {people}].
"[I|We] [could|should] [sell|burn|keep|return] the {thing}," ¶ said [at last|to the window|after a while].
She [laughed|nodded|shook her head]. "[And then|With what|For whom]?"
[In|By] the [morning|evening] the {things} had [moved|gone cold|changed places], or so ¶ [swore|believed].
[Somewhere|Far off] {a tool} [fell|clicked|ticked].
He had [never|always] [liked|understood|feared] {things}, [least|most] of all the {adj} ones.
The [letter|note|label] read only: "[Begin with|Search for|Forgive] the {thing}."
"[Good|Fine|Enough]," § decided, and [put on her coat|closed the door|took {a tool}].
[That|This] evening ¶ [ran|telephoned|walked] to {full} in {town}.
[Rain|Snow|Wind|Fog] [fell|lingered|stood] {place}, and the {people} [turned back|lit a lamp|told the old story].
{full} [arrived|appeared] with {n} {things} and an [apology|umbrella|invoice].
She [saved|hid] the {adj} {thing} for [him|the {people}|{season}].
[Years later|Afterwards|Much later] they would [agree|disagree] about the {thing}, never about the [rain|silence|tea].
"You [forgot|dropped|hid] it {place}," [he|she] whispered, [almost kindly|without turning|and blew out the lamp].
On the shelf stood {a noun}, {a noun} and {a thing}, all from {town}.
§ wore {a noun} like {a person} and carried {a noun} in her sleeve.
{full} traded {a noun} for {a thing} and never spoke of {town} again.
"Bring {a noun}," ¶ called, "and {a tool}, and {name} if he is sober."
There was {a noun} under {a noun}, and under it, folded {few} times, a letter from {full}.
{place}, {a noun} and {a noun} were waiting for {name}.
`;
