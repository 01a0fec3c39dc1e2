from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import UnknownEncodingError, UnknownNameError
from barthes.reading import read
from barthes.reading.encoding import decode

TALE = "“Märchen” – naïve, 5 €.\r\nThe end.\n"
CONTROLS = "The wolf came.\f" * 20 + "\x07"


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        (TALE.encode(), TALE, None),
        (TALE.encode("utf-8-sig"), TALE, None),
        (CONTROLS.encode(), CONTROLS, None),
        (codecs.BOM_UTF16_LE + TALE.encode("utf-16-le"), TALE, "Read as UTF-16."),
        (codecs.BOM_UTF16_BE + TALE.encode("utf-16-be"), TALE, "Read as UTF-16."),
        (b"A.\n" + TALE.encode("cp1252"), "A.\n" + TALE, "because byte 4 (line 2) is not UTF-8: check the"),
        (codecs.BOM_UTF8 + b"abc\xe4 ", "ï»¿abcä ", "Read as Windows-1252, a guess, because byte 7 "),
    ],
)
def test_text_is_decoded_with_a_note_unless_it_is_utf8(data, text, note):
    found, said = decode(data, where="tale.txt")
    assert found == text
    assert said is None if note is None else note in said


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "is a null"),
        (b"The wolf\x00came.", "character 9 is a null"),
        (b"\x00\x01\x02\xff" * 50, "byte 1 is a null"),
        (bytes(range(1, 32)) * 4, "control characters"),
        (b"\xe4\x81\xff", "is not Windows-1252"),
        (codecs.BOM_UTF16_LE + b"a\x00b", "is not UTF-16"),
        (codecs.BOM_UTF32_LE + "wolf".encode("utf-32-le"), "is a null"),
        (b"A wolf \x1b$B$`$+$7~~\x1b(B", "control characters"),
        (b"%PDF-1.7\n1 0 obj\n", "a PDF file"),
        (b"{\\rtf1\\ansi A wolf came.}", "an RTF file"),
        (b"PK\x03\x04\x14\x00", "a zip archive"),
    ],
)
def test_what_is_not_text_is_refused(data, cause):
    with pytest.raises(UnknownEncodingError, match=cause) as caught:
        decode(data, where="tales/wolf.bin")
    assert caught.value.where == "tales/wolf.bin"
    assert caught.value.remedy == "Save the story as plain text in UTF-8, or name its encoding."


STORIES = {
    "Russian": "Жил-был на краю леса старый волк. Зимой он голодал, а летом спал под большим дубом у "
    "реки. Однажды утром пришла лиса и сказала: Пойдём со мной в деревню. Волк обрадовался, "
    "но мельник не спал.",
    "Ukrainian": "Жив собі на узліссі старий вовк. Узимку він голодував, а влітку спав під великим дубом "
    "біля річки. Якось уранці прийшла лисиця і сказала, щоб він ішов із нею до села, бо "
    "мірошник має багато курей.",
    "Greek": "Μια φορά κι έναν καιρό στην άκρη του δάσους ζούσε ένας γέρος λύκος. Τον χειμώνα πεινούσε"
    " και το καλοκαίρι κοιμόταν κάτω από μια μεγάλη βελανιδιά. Ένα πρωί ήρθε η αλεπού και του"
    " μίλησε.",
    "Polish": "Dawno temu na skraju lasu żył stary wilk. Zimą głodował, a latem spał pod wielkim dębem "
    "nad rzeką. Pewnego ranka przyszła lisica i rzekła, że młynarz ma dużo kur. Wilk się "
    "ucieszył, poszedł źle.",
    "Japanese": "むかしむかし、森のはずれに年をとった狼が住んでいました。冬になると食べるものがな"
    "く、夏には川のそばの大きな木の下で眠っていました。ある朝、狐がやって来て言いまし"
    "た。「一緒に村へ行きましょう。」狼は喜んでついて行きました。",
    "Korean": "옛날 숲 가장자리에 늙은 늑대가 살았습니다. 겨울에는 굶주렸고 여름에는 "
    "강가의 큰 참나무 아래에서 잤습니다. 어느 날 아침 여우가 와서 함께 마"
    "을로 가자고 말했습니다. 늑대는 기뻐하며 따라갔습니다.",
    "Chinese": "从前森林边住着一只老狼。冬天它挨饿，夏天它睡在河边的大橡树下。一天早上狐狸来了，"
    "对它说：跟我到村里去吧，磨坊主有很多鸡。狼很高兴，就跟着它去了。可是磨坊主没有睡"
    "觉，他拿着枪站在门口等着。",
    "French": "Il était une fois, à la lisière de la forêt, un vieux loup. L’hiver il avait faim, et "
    "l’été il dormait sous un grand chêne près de la rivière. Un matin le renard arriva : « "
    "Viens avec moi au village. »",
    "German": "Es war einmal am Rande des Waldes ein alter Wolf. Im Winter hungerte er, und im Sommer "
    "schlief er unter einer großen Eiche am Fluss. Eines Morgens kam der Fuchs: „Der Müller "
    "hat viele Hühner.“",
    "Icelandic": "Einu sinni var gamall úlfur sem bjó við skógarjaðarinn. Á veturna svalt hann og á sumrin"
    " svaf hann undir stóru tré við ána. Einn morguninn kom refurinn og sagði: „Komdu með mér"
    " í þorpið.“",
    "Turkish": "Bir varmış bir yokmuş, ormanın kıyısında yaşlı bir kurt yaşarmış. Kışın aç kalır, yazın "
    "ırmağın yanındaki büyük meşe ağacının altında uyurmuş. Bir sabah tilki gelmiş ve ona "
    "demiş ki: Benimle köye gel, değirmencinin çok tavuğu var. Kurt sevinmiş, ama değirmenci "
    "o gece uyumamış.",
    "Lithuanian": "Kartą miško pakraštyje gyveno senas vilkas. Žiemą jis badavo, o vasarą miegojo po "
    "dideliu ąžuolu prie upės. Vieną rytą atėjo lapė ir pasakė, kad malūnininkas turi daug "
    "vištų. Vilkas apsidžiaugė ir nuėjo su ja į kaimą, bet malūnininkas tą naktį nemiegojo.",
    "Romanian": "A fost odată la marginea pădurii un lup bătrân. Iarna răbda de foame, iar vara dormea "
    "sub un stejar mare de lângă râu. Într-o dimineaţă a venit vulpea şi i-a spus că morarul "
    "are multe găini. Lupul s-a bucurat şi a mers cu ea în sat, dar morarul nu dormea în "
    "noaptea aceea.",
    "Hungarian": "Egyszer volt, hol nem volt, az erdő szélén élt egy öreg farkas. Télen éhezett, nyáron "
    "pedig egy nagy tölgyfa alatt aludt a folyó mellett. Egy reggel eljött hozzá a róka, és "
    "azt mondta, hogy a molnárnak sok tyúkja van. A farkas megörült, és elindult vele a "
    "faluba, de a molnár azon az éjjelen ébren volt. Félt tőle mindenki.",
    "Croatian": "Na rubu šume živio je stari vuk. Zimi je gladovao, a ljeti je spavao pod velikim hrastom"
    " kraj rijeke. Jednog jutra došla je lisica i rekla mu da mlinar u selu ima mnogo kokoši."
    " Vuk se obradovao i pošao za njom, ali mlinar te noći nije spavao.",
    "English": "Once upon a time, at the edge of the forest, there lived an old wolf. In winter he "
    "starved, and in summer he slept under a great oak near the café of naïve Zoë and her "
    "fiancé, the protégé of a Señor Núñez — “a façade!”, said the fox; ‘Très bien’, said "
    "André, who was blasé about his résumé and the soufflé.",
}
CENTRAL = ("Polish", "Hungarian", "Romanian", "Croatian")
WESTERN = ("English", "French", "German", "Icelandic")


@pytest.mark.parametrize("times", [1, 30])
@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        *[("Russian", name) for name in ("cp1251", "koi8-r", "iso8859-5", "cp866")],
        *[("Ukrainian", name) for name in ("cp1251", "koi8-u")],
        *[("Greek", name) for name in ("cp1253", "iso8859-7")],
        *[(language, name) for language in CENTRAL for name in ("cp1250", "iso8859-2")],
        *[("Lithuanian", name) for name in ("cp1257", "iso8859-13", "iso8859-4")],
        *[("Turkish", name) for name in ("cp1254", "iso8859-9")],
        *[("Japanese", name) for name in ("euc-jp", "shift_jis")],
        *[("Korean", "euc-kr"), ("Chinese", "gb18030")],
        *[(language, "cp1252") for language in WESTERN],
    ],
)
def test_other_encodings_are_recognized(language, encoding, times):
    text = "\n".join([STORIES[language]] * times)
    found, note = decode(text.encode(encoding), where="tale.txt")
    assert found == text
    assert ", a guess, because byte" in note


JAPANESE = "むかし、おじいさんがいました。\nまいにち山へ行きました。"
KOREAN = "옛날에 늑대가 살았다."
MAC = "“It’s the café,” she said — naïve as ever.\rHe didn’t go."
RUSSIAN = "Жил-был старик у самого синего моря. Он ловил неводом рыбу, а старуха пряла свою пряжу."


@pytest.mark.parametrize(
    ("text", "encoding", "note"),
    [
        (JAPANESE, "iso2022_jp", "Read as ISO-2022-JP."),
        (KOREAN, "iso2022_kr", "Read as ISO-2022-KR."),
        (MAC, "mac_roman", "Read as MacRoman, a guess, because byte 1 (line 1) is not UTF-8"),
        (RUSSIAN, "mac_cyrillic", "Read as MacCyrillic, a guess, because byte 1 (line 1) is not UTF-8"),
        (RUSSIAN, "cp1251", "Read as Windows-1251, a guess, because byte 1 (line 1) is not UTF-8"),
    ],
)
def test_encodings_of_mail_and_of_old_computers_are_recognized(text, encoding, note):
    found, said = decode(text.encode(encoding), where="tale.txt")
    assert found == text
    assert said.startswith(note)


@pytest.mark.parametrize("name", ["tale.txt", "tale.md", "tale.html"])
def test_an_encoding_that_is_given_overrules_guesses_and_declarations(tmp_path, name):
    path = tmp_path / name
    start = '<html><meta charset="koi8-r"><p>' if name.endswith("html") else ""
    path.write_bytes((start + "Был волк. И лиса.").encode("cp1251"))
    assert [str(each) for each in read(path, language="ru", encoding="cp1251")] == ["Был волк.", "И лиса."]


@pytest.mark.parametrize(
    ("encoding", "kind", "message"),
    [
        ("utf-8", UnknownEncodingError, "byte 8 \\(line 2\\) is not utf-8"),
        ("cp125", UnknownNameError, "no encoding 'cp125'. Did you mean 'cp125"),
        ("base64", UnknownNameError, "no encoding 'base64'"),
    ],
)
def test_an_encoding_that_does_not_fit_or_exist_is_refused(encoding, kind, message):
    with pytest.raises(kind, match=message):
        decode("A wolf\nŁ".encode("cp1250"), where="x", encoding=encoding)


def test_letters_in_no_known_encoding_are_refused():
    with pytest.raises(UnknownEncodingError, match="no other encoding fits"):
        decode(bytes(0xC0 + index * 37 % 64 for index in range(999) for _ in range(1 + index % 2)), where="x")


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_refused(data):
    try:
        text, _ = decode(data, where="x")
    except UnknownEncodingError:
        return
    assert "\0" not in text
