/** Sentences of articles, books and notes. One a line; see `pattern.ts` for the slots. */
export const PLAIN = `
{place}, {n} {things} [stood in a row|were waiting|looked the same|had been forgotten|lay side by side].
{place} you will find {a thing} and {a tool}, [rarely together|sometimes both at once|and seldom much else|if you come early].
[For|After|Over] {few} [weeks|months|winters|summers|seasons] we [plotted|debated|estimated|compared] {measure}.
[Most|Some|Many] of the {people} I [met|interviewed|visited|phoned] in {town} [began with|swear by|never mention|still use] {a tool}.
{full} once [quipped|remarked|joked|argued] that all of {T} is {a thing} and {trouble}.
{act} [takes longer than|is harder than|looks easier than|is cheaper than] {act}.
The [trick|secret|art|point] of {act} is to [stop early|begin small|do it twice|ask for help|expect {trouble}].
[Nothing|Little|No book] [had prepared|prepared] me for {trouble} {place}.
In {year}, {a person} in {town} {did} {a thing} that is [standing|in a museum|famous|in daily use].
[If|When|Whenever] {trouble} [comes|strikes|returns], {people} [reach for|argue about|turn to|blame] {a tool}.
[I had|We had|They had] [brought|packed|ordered|borrowed] {a tool} and [forgotten|misplaced|broken|sold] the other one.
[A friend|A colleague|My neighbour|An old teacher] from {town} [keeps|collects|repairs|sketches] {things}, and [knows|remembers|names] every one.
There is {an adj} [method|habit|school|style] of {act}, and {people} in {town} [have used it|have refined it|have defended it] since {year}.
{measure} [mattered|weighed|swung|varied] more than {measure}, which [surprised|puzzled|pleased|annoyed] us.
[Ask|Follow|Trust|Watch] {a person} for {an adj} [day|afternoon|morning] and {T} will seem [different|simpler|stranger|larger].
[Every|Each] {thing} has its own [history|temper|smell|price|reason].
What [looks|sounds|feels] like {trouble} is [often|sometimes|usually] just {a thing} out of place.
My [own|first|current|last] {thing} was {adj}, [cheap|heavy|crooked|second-hand], and [perfect|far too large|a gift|adequate].
The {adj} {thing} [was older than|cost more than|outlasted|preceded] the {adj} one.
[We|They] [learned|discovered|noticed|admitted] {place} that {people} and {people} use the same word for different {things}.
{name} and {name} [disagree|quarrelled|corresponded] about {things} [for years|all their lives|until {year}|in public].
[Before|After] {act}, [wash your hands|open a window|write the date down|drink some tea|count to ten|call {full}].
[Not every|Hardly any|Almost every] {thing} [needs|deserves|survives|rewards] {act}.
[Somewhere|Halfway] between {act} and {act} I [mislaid|abandoned|regained] my [patience|temper|composure|pencil].
The [cheapest|oldest|best|plainest] {tool} in {town} [belongs|belonged] to {full}, who [repairs|lends|guards] it [gladly|herself|himself|without a word].
{a person} [showed|told|reminded|persuaded] us [how|why] {things} [fail|last|change|return], and we [believed it|laughed|took notes|tried it at once].
[By|Until|Toward] {month} the {things} had [doubled|vanished|dried|arrived|settled].
One [bad|quiet|long|wet] {day} {place} [is worth|teaches more than|undoes] a [month|year|shelf] of [books|theory|plans].
[Start|Begin] with {a thing}, [not|never] with {a tool}; the [remainder|budget|money] [appears|arrives|comes later].
[Keep|Label|Date|Draw] every {thing}, [even|especially] the {adj} ones.
[Few|Two|Several] {people} [agree|suspect|warned] that {trouble} [can be|could be|is rarely] [avoided|predicted|cured|ignored].
It [rained|snowed|blew|froze] in {town}, so {act} had to wait [until {day}|for a week|for the light].
[Perhaps|Of course|Then again] the {adj} [answer|version|story] is also [mistaken|true|the dull one|too brief].
The [report|ledger|diary|letter] of {year} [lists|counts|mentions] {n} {things} and [not one|only one|at least one] {tool}.
[Suppose|Imagine|Say] that {trouble} [never happened|were rare|came first]: {people} would [still|hardly|gladly] [need|want|build] {a thing}.
[I|We] [used to|no longer|grew up to] [believe|pretend|insist] that {act} [saves money|can be learned|is a talent|comes last].
{things} from {town} are [smaller|darker|louder|finer] than those from {town}.
At {n} [euros|crowns|dollars] {a tool} is [a bargain|a luxury|a long-term promise]; {a thing} costs [nothing|time|a favor].
The {people} of {town} [meet|gather|argue] on {day} [evenings|mornings] to [compare|trade|repair|praise] {things}.
{full}, {a person} for {n} years, [puts it|explains it|says it] [plainly|this way|better]: {act} is [half of it|the whole job|the reward].
[No one|Neither of us] [could|would] [explain|forget|repeat] the {adj} {thing} {place}.
You can [tell|hear|see|smell] {an adj} {thing} from [a distance|the street|the doorway].
[What if|Why do|When did] {people} [stop|start|avoid] {act}?
Who [trained|paid|warned|followed] the first {people} of {town}?
[Where|How] does {a thing} [begin|end|come from|fail]?
[Half|A third|A quarter] of the {things} [in the village|in the survey|in our shed] [are|were] [older|newer|stranger] than {n} years.
[Slowly|Later|In the end|One by one] the {adj} {things} [yielded|made room|bowed] to {adj} ones.
A [good|bad|borrowed|rusty] {tool} [teaches|hides|forgives] more than {a person} [admits|expects|remembers].
[Read|Copy|Visit|Cite] {full} [first|next|whenever you can]; the chapter on {things} is [short|generous|out of print].
[Between|Among] {n} {things} there [is|was] always one [exception|joker|surprise].
{act} [in {month}|after dark|with children|alone] is another [sport|story].
For {people}, {place} is where [labor|leisure|gossip|mischief] [begins|ends|happens].
[On paper|In theory|From afar] it is a [contest|trade-off|balance] of {measure}; {place} it is about [people|weather|money|tea].
The [museum|library|market|school|abbey|town hall] in {town} [owns|displays|lends] {a thing} of {year}, [under glass|with no caption|to anyone who asks].
{a tool} and {a tool} [were|are] all {full} [owned|needed|carried].
[Our|The] [first|last|worst] attempt at {act} [ended|stopped|failed] {place}.
It was {name} who [diagnosed|named|foresaw] {trouble} {place}, in {year}.
[Do not|Never] [buy|trust|move|throw away] {a thing} [you have not held|on a {day}|before {month}|that is too clean].
[That|This] is [why|how] {people} [describe|treat|greet] {trouble} [like a guest|like weather|with respect].
{few} {things}, {few} {people} and {a tool}: [nothing more|nothing else] was [needed|aboard|allowed].
{measure} and {measure} [rise|fall|drift] together, [though|because|unless] {trouble} [intervenes|hides|helps].
[Visitors|Children|Tourists|Inspectors] [ask for|photograph|miss|step over] the {adj} {thing} {place}.
[Strangely|Luckily|Sadly|Quietly], {people} [saved|burned|sold|printed] their [letters|charts|lists] [from|of] {year}.
In the [valley|district|port|suburb] of {town} {a thing} is [nicknamed|greeted as] "the {adj} one".
I [walked|drove|cycled|travelled] to {town} because {full} [promised|offered|needed] {a thing}.
[Patience|Curiosity|Luck|Sleep] [helps|beats|replaces] {a tool}, and [tea|rain|a list] [helps|beats] both.
{act} is [dull|loud|slow|cold] until [the first|the last|an unexpected] {thing} [appears|moves|answers].
[A century|A decade|A lifetime] ago {people} [would have|might have] [laughed|wept|shrugged] at {a tool}.
{trouble} is [a teacher|no accident|bad luck|expensive], and {place} it is [common|rare|certain].
[Three|Four|Five] [questions|doubts|lessons] [remain|stayed with me]: about {measure}, about {things}, and about {trouble}.
The [difference|border|distance] between {a thing} and {a thing} is [smaller|older|vaguer] than [maps|books|names] [suggest|claim].
[Even|Only] {full} [admits|doubts|knows] that {measure} [cannot|can] be [guessed|faked|rushed].
[Once|Twice] a year the {people} [open|clean|count|paint] everything {place}.
[Take|Remove|Add] one {thing} and the whole [falls quiet|seems odd|makes sense].
[I keep|She kept|He kept] {a thing} [on the desk|in a drawer|on the windowsill] to [remember|measure|forget] {town}.
{full} of {town} {did} {n} {things} and {did} the {adj} ones.
In {year} the {people} of {town} {did} every {thing} {place}.
{name} {did} {a thing}; {name} {did} {few} more.
{place}, {full} {did} {an adj} {thing} with {a tool}.
Whoever {did} {a thing} in {month} {did} two more by {season}.
The {person} from {town} {did} {things}, not for money but against {trouble}.
{adj} {things} are {did} in {town}, {adj} ones in {town}.
At {town} {an adj} {thing} was {did} each {day}.
{full} and {full} {did} the same {thing}, {name} {few} of them.
{a person}'s {thing}, {did} by {name}, hangs in the {town} inn.
{act} is for {people} what {act} is for all of {town}.
{name}'s {adj} {tool} outlived {few} owners and {an adj} {season}.
It cost {full} {n} crowns and {an adj} {season} {place}.
{few} {adj} {things}, {did} in {year}, survive at {town}.
Neither {name} nor {name} ever {did} {a thing} {place}.
The {town} [almanac|gazette|parish roll] for {year} prices {a thing} at {n} [pence|kroner|lire].
{measure} and {measure} were {name}'s obsession from {month} on.
Among the {people} of {town}, {trouble} passes for {an adj} joke.
Had {full} not {did} that {thing}, {act} might be unknown in {town}.
So {adj} was the {thing} that {people} {did} it before {act}.
{town} has {n} {people}, {town} {few}, and both complain of {trouble}.
{full} [taught|practised|banned] {act} at {town} until {year}.
Without {full}, the {things} of {town} would be {did} and gone.
Each {season} {people} cross from {town} to {town} for {things}.
{trouble} at {town}, {month} {year}: {n} {things} {did}, {few} spared.
{a tool} from {town}, {adj} and {adj}, {did} by {few} generations.
Of {n} {people} who {did} {things}, {few} mentioned {measure}.
{act}, {act}, {act}: thus passed {month} {place}.
{name} preferred {things} {did} {place}; {name}, those from {town}.
My [sketch|chart|plan] of {town} has {a thing} where {full} {did} {a tool}.
An inventory by {full} names {few} {things}, {adj}, {did} in {month}.
For {a thing} {did} {place}, {name} would travel as far as {town}.
Old {name} [swore|claimed|insisted] that {things} {did} in {month} ward off {trouble}.
{full}, {adj} as ever, {did} {a tool} and blamed {trouble}.
Both the {town} {thing} and the {town} one were {did} around {year}.
{full} kept {a noun}, {a noun} and {few} {things} in one {adj} {noun}.
[Someone|A child|A visitor] at {town} once {did} {a noun} and mistook it for {a thing}.
{a thing} is to {name} what {a noun} is to {a person}.
For want of {a tool}, {name} {did} {things} with {a noun}.
The {town} sale of {year} had {n} {things}, {a noun} and {full}'s {noun}.
`;

/** Clauses that end some sentences of articles and papers, before the full stop. */
export const TAILS = `
, at least [in|around|near|outside|above|below|beyond] {town}
, as {name} [noted|warned|conceded|feared|guessed|hoped|predicted|argued|suspected|reported|proved|denied] in {year}
, or so {full} [claims|thinks|says|maintains|swears|writes|suggests|fears|hopes]
, {full} [says|thinks|writes|insists|believes|admits|adds|notes]
, in {full}'s [view|opinion|account|experience|memory|telling|notes|letters|diary|words]
, as they [say|put it|joke|sing|warn|know|learned|believe|complain] in {town}
, in {town} as in {town}
, even in {town}
, and not only in {town}
, more so in {town} than in {town}
, if one [asks|believes|reads|trusts|follows|quotes] {full}
, as {name} and {name} [agree|argued|found|noticed|wrote|showed|remember]
, from {town} to {town}
, and so did {full}
, if not in {town} then in {town}
, as was {full} from {town}
, unless {full} was [mistaken|joking|misquoted|dreaming|right|lying|tired]
, or {name} would have [said|protested|noticed|complained|objected|laughed|intervened]
`;
