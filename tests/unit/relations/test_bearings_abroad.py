"""A small word of another family member keeps two statements apart in every language, and a turned sentence does not."""

import pytest

from dreamd.judge import Statement, merge_guards, pair_features


def guards(a, b):
    """Why two texts must not become one."""
    return merge_guards(pair_features(Statement(a), Statement(b), 0.9))


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ("Losungen sind mindestens zwölf Zeichen lang.", "Losungen sind höchstens zwölf Zeichen lang.", "bound"),
        ("Der Anleger trägt mehr als 3 Tonnen.", "Der Anleger trägt weniger als 3 Tonnen.", "bound"),
        ("El muelle admite no más de 3 barcos.", "El muelle admite al menos 3 barcos.", "bound"),
        ("Le quai supporte au plus 3 tonnes.", "The quay carries at least 3 tonnes.", "bound"),
        ("Die Boote werden vor neun Uhr geputzt.", "Die Boote werden nach neun Uhr geputzt.", "order"),
        ("Se llama a los socios antes de las ocho.", "Members are called after eight.", "order"),
        ("Gäste müssen am Steg eine Weste tragen.", "Gäste dürfen am Steg eine Weste tragen.", "demand"),
        ("Os sócios devem lavar o barco.", "Members may wash the boat.", "demand"),
        ("Gli ospiti pagano 12 euro al mese.", "Gli ospiti pagano 12 euro all'anno.", "rate"),
        ("Los socios pagan 12 euros al mes.", "Les membres paient 12 euros par an.", "rate"),
        ("Der Steg wird täglich gefegt.", "The jetty is swept weekly.", "rate"),
        ("Alle Boote haben einen Anker.", "Einige Boote haben einen Anker.", "how many"),
        ("Le bac part toujours à l'heure.", "Le bac part parfois à l'heure.", "how often"),
        ("Der Kran hebt nur Boote.", "Der Kran hebt auch Boote.", "reach"),
        ("La cancha se riega por la mañana.", "La cancha se riega por la tarde.", "part of the day"),
        ("Das Boot liegt links vom Steg.", "The boat lies to the right of the jetty.", "hand"),
        ("Los martes no sale el bote.", "The boat stays in on Mondays.", "weekday"),
    ],
)
def test_another_member_of_a_family_is_another_claim(a, b, why):
    assert any(told.startswith(f"different {why}") for told in guards(a, b)), guards(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Antes de soltar o barco é preciso fechar a grade.", "O barco só é solto depois que a grade estiver fechada."),
        ("Gäste dürfen den Steg nicht betreten.", "Guests must not enter the jetty."),
        ("Só a Inês pode abrir o cais.", "Inês must open the quay herself."),
        ("El muelle admite no más de 3 barcos.", "The pier takes at most 3 boats."),
        ("Der Steg wird jeden Tag gefegt.", "The jetty is swept daily."),
        ("Le quai est ouvert tous les matins.", "The quay is open every day in the morning."),
    ],
)
def test_the_same_in_another_turn_is_no_difference(a, b):
    assert not any(told.startswith("different") for told in guards(a, b))
