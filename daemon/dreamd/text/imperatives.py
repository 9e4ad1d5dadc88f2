"""Verbs that an order begins with, as they stand and as stems."""

# ruff: noqa: E501, SIM905  tables read better as runs of words

from __future__ import annotations

from dreamd.text.tokens import stem

VERBS = frozenset(
    form
    for verb in (
        "use run keep hold take send store write read open close begin stop end need require cover last serve own "
        "live belong come go know see show make give get meet sit stand hang lie work build deliver approve review "
        "decide sign assign merge move export import allow accept reject support contain carry cost expire return "
        "prefer want like love hate expect report publish push pull ask talk listen answer wait expose bind connect "
        "point speak fly eat drink drive pay charge bill ship deploy release test measure count round delete remove add "
        "trigger fire lock unlock block handle own maintain administer plan feed clean water heat cool print render "
        "draw parse compile cache log retry fail pass depend follow lead manage produce provide replace save share sort "
        "split sync tag throw track translate update upload validate weigh arrive leave stay remain happen occur mean "
        "limit reach exceed assume default set let help start embed wake call notify fetch poll emit consume forward "
        "convert copy create crash define describe detect disable enable display download drop encode encrypt enforce "
        "enter escalate execute extend extract fill filter finish fix format generate grant grow guard hide host identify "
        "ignore include increase indicate ingest inherit inject insert inspect install invoke issue join label launch "
        "link list load map mark match mirror monitor mount name obtain offer order override pack paint pick place play "
        "preserve prevent process promote protect purge query queue raise receive recommend record redirect reduce "
        "refresh refuse register reject reload rename repair repeat request reserve reset resolve restart restore restrict "
        "resume reuse rotate scale scan schedule score select sell separate settle skip sleep sound squash stream strip "
        "submit subscribe suit sum supply switch tell terminate trim trust tune turn type undo unpack update upgrade "
        "verify visit wash watch wear weld wipe wrap zip rehearse teach learn train coach guide host inform invite "
        "find bring catch choose lose win pick seem look let hit shut spend sing swim teach throw understand break bend bite blow rotate lend borrow rent buy collect dispatch empty drain brew bake cook harvest plant mow grade vaccinate treat"
    ).split()
    for form in (verb, stem(verb))
)
