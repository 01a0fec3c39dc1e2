"""Common English verbs whose subject is not ARG0 or whose object is not ARG1, by PropBank's frames."""

UNACCUSATIVES = frozenset(
    """
    appear arise arrive be become bloom blossom collapse come consist crumble dangle decay die disappear
    elapse emerge ensue erupt exist expire fade fall flicker flourish flow flutter gleam glimmer glisten
    glitter glow happen languish lie linger loom occur originate perish quake recede remain rise rot seem
    shine shiver smoulder smolder soar sparkle sprout stay suffice tremble trickle twinkle vanish wait wilt
    wither
    """.split()
)
"""Verbs without object whose subject is ARG1: *the dragon appeared*."""

ERGATIVES = frozenset(
    """
    awake awaken boil break burn burst change close cool crack decrease develop dissolve drift drip drop drown
    dry end evaporate explode fail flash float fly freeze gather get grow hang heal hurry improve increase
    lay lean light melt move open pass pour recover result return ripen roll rush scatter shake shatter shrink
    sink sit slide slip smell soften sound spill spin split spread spring stand start stick stop stream
    stretch sway swell swing swirl taste tear thaw thicken tumble turn wake warm widen
    """.split()
)
"""Verbs whose subject is ARG1 unless they have an object: *the door opened*, but *the girl opened it*."""

THEME_SUBJECTS = frozenset(["cost", "last", "precede", "resemble", "succeed", "weigh"])
"""Verbs of order and measure: the subject is ARG1, and what follows is neither ARG0 nor ARG1."""

WEATHER = frozenset("dawn drizzle freeze hail pour rain snow storm thunder".split())
"""Verbs whose subject *it* refers to nothing."""

UNCHANGING = frozenset("bet bid burst cast cost cut hit hurt let put quit read set shut split spread".split())
"""Verbs whose past form equals their infinitive."""

INTRANSITIVES = frozenset(
    """
    climb crawl creep dance depart dwell faint gallop go hasten jump kneel laugh leap live march run set sleep
    sneeze stride stroll swim travel trot walk wander weep work
    """.split()
)
"""Verbs whose subject is ARG0, without shared object and without infinitive as ARG1: *go to see*."""

SPEECH_VERBS = frozenset(
    """
    add admit advise agree announce answer argue ask assure beg begin bellow boast call chant chuckle claim
    command comment complain conclude confess continue counsel croak cry declare demand enquire entreat
    exclaim explain finish gasp grin groan growl grumble grunt hint hiss holler howl implore inform inquire
    insist interrupt invite jeer joke lament laugh mention moan mumble murmur mutter note object observe offer
    order plead pray proclaim promise propose protest question quote rasp reason recite rejoin remark remind
    repeat reply report request respond retort return roar say scold scream screech shout shriek sigh sing
    smile snap snarl snort sob speak squeak squeal stammer state suggest swear tease tell thank think threaten
    urge vow wail warn weep whimper whine whisper wonder yell
    """.split()
)
"""Verbs that may introduce direct speech, which is their ARG1."""

REPLIES = frozenset(["answer", "rejoin", "reply", "respond", "retort"])
"""Verbs of answering: ARG1 is the question, ARG2 the answer."""

HEARER_VERBS = frozenset("ask assure inform notify remind tell warn".split())
"""Verbs whose object is usually the hearer (ARG2); ARG1 is the message."""

RECIPIENT_VERBS = frozenset("pay promise show teach write".split())
"""Verbs whose object is ARG2 if it is a person: *she showed **him***, but *she showed the ring*."""

CONTENTS = frozenset(
    """
    advice answer book fable favor favour fortune it joke letter lie message name news note poem question
    riddle road secret song something story tale that thing this truth way what which word
    """.split()
)
"""Objects of verbs of telling that are the message, not the hearer: *tell a story*."""

SUBJECT_CONTROL = frozenset(["promise", "swear", "threaten", "vow"])
"""Verbs whose subject, not object, is the subject of the infinitive: *he promised her to come*."""

CAUSATIVES = frozenset("bring call help invite lead let make order send summon take".split())
"""Verbs whose object is the subject of a following infinitive, even of purpose."""

RAISING = frozenset("expect feel find hate hear like love make need prefer see want watch wish".split())
"""Verbs whose ARG1 is a whole clause: *want **him to go***."""

PREPOSITIONAL = frozenset(
    """
    aim:at argue:about argue:with ask:for bark:at beg:for believe:in blow:on boast:of care:for complain:about
    call:for compete:with deal:with dispose:of dream:about dream:of fight:against fight:with gaze:at glance:at
    grab:at guess:at hear:about hear:of hope:for hunt:for knock:at knock:on know:about know:of laugh:at
    listen:to long:for look:after look:at look:for look:into mourn:for nibble:at object:to peep:at peer:at
    play:with point:at point:to pray:for quarrel:with race:with refer:to rely:on send:for shoot:at sing:of
    smile:at speak:about speak:of stare:at struggle:with talk:about talk:of tell:about tell:of think:about
    think:of trust:in watch:over weep:for weep:over wish:for wonder:about wonder:at work:on worry:about
    wrestle:with yearn:for
    """.split()
)
"""Verbs with the preposition that introduces their ARG1: *she looked at the stars*."""
