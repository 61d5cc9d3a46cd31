/** Lines of poems, two or three at a time. */
export const VERSE = `
I left {a thing} / {place}, / and the rain [took|named|learned] it.
Say {thing} [slowly|twice|softly], / as [my mother|the sea|a clock] would, / and [wait|listen].
{place}, / where {adj} {things} / [hold|keep|lend] the light,
[No one|Nobody] [asked|called] the {things} / and still they [danced|shone|sang].
Between one {thing} / and the next / [a breath|a door|a whole year].
What the {people} [knew|carried] / they [carried|knew] by heart / and by hand.
{season} is {a thing} / that [opens|closes|rusts] / from the inside.
[Give|Lend|Leave] me {a tool}, / {few} {things}, / and the [end|half] of {day}.
O {adj} {thing}, / you [were|are] [late|small|ours] / and I [loved|missed|knew] you.
My [hands|pockets|sleeves] are full / of {things} / and [none|all] of them [sleep|weigh|answer].
In {town} they [bury|bless|sell] / {things} / before the [frost|feast|flood].
Tonight the {adj} {things} / [forget|practise|forgive] / their names.
{act}, / I [thought|dreamed] of you / and of [bread|snow|stairs].
There is {a thing} / [inside|under|beside] every {thing}, / [smaller|older|still warm].
The [moon|lamp|wind] [comes|leans] / over {things} / like {a person}.
[Once|Twice] / I [counted|crossed|buried] / the {adj} {thing}.
[Do not|Never] [wake|wash|count] the {things}. / They are [almost|nearly] / [home|music|true].
And {trouble}, / that [guest|thief|cousin], / [sits|sings] {place}.
[Everything|Something] {adj} / [begins|ends] / with {a thing}.
[Listen|Stay|Quiet]: / {place} / {a thing} [turns|hums|breathes].
[We|They] [were|are] {people} / of [salt|dust|paper], / and {month} [was|is] our country.
If {a thing} [falls|sings|stays] / {place}, / who [counts|answers] it?
The [letter|river|road] to {town} / has {n} [turns|stones|vowels] / and one {thing}.
[Morning|Evening|Noon], / {an adj} {thing}, / [a cup|a coat|a name] on a chair.
{full} [hummed|sang] it [once|aloud|alone]: / {things}, {things}, / and then the [snow|sea|silence].
[Half|Most] of [love|grief|rain] / is {act}. / The other half is [tea|waiting|luck].
[How|So] {adj} the {thing}, / how [plain|long|blue] / the [hour|cloth|field].
[Teach|Show|Tell] me / how {things} / [leave|return|sink].
[Under|Above|Beyond] the {thing} / [a child|a bird|a bell] / [waits|hides|repeats].
[Then|Now] [silence|water|dust], / {few} {things}, / and [your|her|his] [voice|shadow|glove].
[A crow|A tram|A neighbour] [passes|coughs] / and the {adj} {things} / [shiver|look up|begin].
[I promise|I swear] to the {thing} / a [window|harbor|song] / of its own.
{a noun}, {a noun}, / and between them / {a thing}.
{name} rode home / with {a noun} / and a mouth full of {season}.
My {noun} is {adj}, / my {noun} {adj}, / and {town} is far.
`;
