/** Sentences of comments. */
export const REMARK = `
[Thank you|Thanks] for this[.|!] I had never [thought|read|heard] about {measure} [before|in this way].
The part about {things} [made|changed|saved] my [day|morning|commute].
[I tried|We tried] {act} [last {season}|in {month}|for a week] and [gave up|never looked back|broke {a tool}|learned the same].
{place}, my [experience|luck] was [the opposite|much the same|worse].
[Does|Did] [this|that] also [hold|work|apply] for {things} in {town}?
[Did you|Did anyone] [read|ask|meet] {full} on {things}?
[I disagree|I am not convinced]: {trouble} [matters|explains] more than {measure}.
[Small|Tiny|Minor] correction: it was {year}, and {name} [was not alone|was in {town}|wrote it later].
My [grandmother|uncle|teacher|neighbour] [was|is] {a person} in {town} and would [agree|laugh|object].
[What|Which] {tool} do you use [for this|{place}]?
More about {act}, please.
I [read|shared|printed] this [twice|with my class|for the {people} here|on the bus].
[Beautiful|Clear|Honest|Patient] writing, [as always|again], and the {adj} {thing} will stay with me.
{act} [saved|ruined] my [{season}|weekend].
In {town} we call {trouble} [something less polite|"{full}"|by another name].
The [ending|second half|middle part] could be [shorter|longer], the {things} [could not|are perfect].
As {a person} I can [confirm|add]: {trouble} [is real|comes first|never announces itself].
[Source|Reference] for the {n} {things}?
[Is it|Was it] [true|possible] that {things} [were|are] [cheaper|better|rarer] in {town}?
[Please|Do] [write|tell us] about {trouble} [next|some day|too].
[Saved|Bookmarked] for the next time {trouble} [strikes|comes by].
You [forgot|skipped|buried] {a tool}, which is [half the fun|the cheap way|what {people} use].
[We|I] have {a thing} like that {place}; it has [worked|leaked|sung] since {recent}.
{name} [made|makes] the same [argument|mistake|joke] with {things}.
[Wonderful|Great|Useful], and [a bit|a little] [sad|funny].
{measure} again! [Nobody|No one] [talks|writes] about that [enough|honestly].
[Can|Could] you [share|post|explain] your [notes|numbers|list] on {measure}?
[My students|My children|The {people} I know] [loved|doubted|discussed] this.
[This|That] [reminds|reminded] me of {town}, {month} {recent}: {a thing}, {a tool}, and rain.
[Careful|Warning]: {act} without {a tool} [ends|ended] badly for me.
[Fair|Good] point about {trouble}, [though|but] {place} it [rarely|seldom] [happens|matters].
I [would|will] [start|begin] with {things} and [leave|save] {act} for later.
[How|Where] did you [find|learn|get] [all this|the {adj} {thing}]?
[Not sure|Hard to say] about {measure}; {people} [measure|define] it [differently|in two ways].
[Yes|Exactly|Precisely], and {place} even more so.
[Somebody|Someone] should [send|show] this to the {people} of {town}.
`;

/** Sentences of comments that report something. */
export const ACCOUNT = `
{place}, {recent}: {few} {things}, {few} {people}, and [no one|only I] had brought {a tool}.
[Last {season}|In {month} {recent}|Years ago] I [spent|wasted|enjoyed] {n} [hours|days] {place} with {a tool} and {an adj} {thing}.
[When I was|Before I became] {a person} in {town}, we [thought of|spoke of|treated] {trouble} as [a matter of luck|someone else's problem|part of the job].
[My father|My first teacher|A friend of mine], {a person} from {town}, [kept|buried|sold] {a thing} [for {n} years|in {recent}|and regretted it].
[The funny thing|The sad thing|What surprised me] is that {people} in {town} [had known it|stopped doing it|wrote it all down] [by|around] {year}.
[For the record|To be fair|In my experience], {act} [went well|went wrong|took {n} minutes] only after we [moved|borrowed|repaired] {a tool}.
I [asked|visited|phoned] {full}, who [laughed|sighed] and [showed me|sent me to|talked about] {a thing} {place}.
We [compared|plotted|counted] {measure} [every {day}|for a year|with the {people} next door], and {measure} turned out to [matter more|say nothing|be the easy part].
[There was|I remember] {a thing} {place} that [nobody|no one] wanted to [touch|move|draw], [until|because] {a person} from {town} did.
[One thing to add|A small addition]: {things} from {town} behave [differently|like the {adj} ones here], [especially|at least] in {season}.
{name} [describes|mentions] this in the {year} edition, [next to|just after] the [page|chapter] on {things}.
[Our|The local] {people} [swear by|gave up on|lend out] {a tool}, [although|because] {trouble} {place} is [common|rare] [these days|after {month}].
`;
