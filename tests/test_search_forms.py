import pytest

from docshelf.serve.search.forms import FormRules, WordForms


@pytest.fixture(scope="module")
def forms() -> WordForms:
    return WordForms()


@pytest.mark.parametrize(
    "words",
    [
        "маршрут маршрута маршрутом маршруты маршрутов маршрутам маршрутами маршрутах",
        "сеть сети сетью сетей сетям сетями сетях",
        "память памяти памятью",
        "режим режима режиму режимы режимов режимами",
        "система системы систем системам системами",
        "канал канала каналу каналы каналов",
        "лимит лимита лимиты лимитов",
        "запись записи записью записей",
        "станция станции станцию станций станциями",
        "пользователь пользователя пользователем пользователи пользователей",
        "резервный резервного резервному резервная резервную резервные резервных резервными",
        "высокий высокого высоким высокая высокие высоких",
        "настраивает настраивают настраивается настраиваются",
        "route routes routed routing",
        "policy policies",
        "install installs installed installing",
        "box boxes",
        "cache caches cached caching",
        "disk disks",
        "address addresses addressed",
    ],
)
def test_forms_of_a_word_share_its_stem(words: str, forms: WordForms) -> None:
    assert len({forms.stem(word) for word in words.split()}) == 1


@pytest.mark.parametrize(
    "words",
    [
        "настройка настроить настраивать настраивается настроенный",
        "маршрут маршрутизация маршрутизатор маршрутизировать",
        "установка установить устанавливать установленный",
        "обработка обработать обрабатывать",
        "резервный резервирование резервировать",
        "проверка проверить проверять",
        "амортизация амортизационный",
        "балансировщик балансировка",
        "шифрование шифровать",
        "configuration configure config",
        "allocation allocate allocator",
        "failure failing failed",
        "rotation rotate rotating",
        "connection connect connected",
    ],
)
def test_derived_words_share_a_root(words: str, forms: WordForms) -> None:
    first, *others = (set(forms.roots(forms.stem(word))) for word in words.split())
    assert all(first & other for other in others)


@pytest.mark.parametrize(
    ("one", "other"), [("порт", "порядок"), ("режим", "режиссёр"), ("пакет", "пакля"), ("port", "portrait")]
)
def test_strangers_share_no_root(one: str, other: str, forms: WordForms) -> None:
    assert not set(forms.roots(forms.stem(one))) & set(forms.roots(forms.stem(other)))


@pytest.mark.parametrize(
    "word", ["string", "need", "status", "analysis", "ipv4", "ip_forward", "配置", "", "ся", "s"]
)
def test_words_without_a_known_ending_are_their_own_stem(word: str, forms: WordForms) -> None:
    assert forms.stem(word) == word


def test_rules_may_be_others_than_ours() -> None:
    forms = WordForms([FormRules("abcdefghijklmnopqrstuvwxyz", ("s/z/1/ae",), ("az//1",))])
    assert forms.stem("mas") == "maz"
    assert forms.stem("mis") == "mis"
    assert forms.roots("amaz") == ("am",)
