"""Three short tales."""

WELL = (
    "There was once a miller who had a well behind his house, and nobody drank from it.\n"
    "One evening a crane came down and asked for water, and the miller gave it a cup of\n"
    "his own beer instead. The crane thanked him and flew away over the hill.\n\n"
    '"I will come again," it said, "when the snow lies on your roof and your fire is out."\n\n'
    "And so it did, and brought him a coal in its beak, and he was never cold again."
)
GOOSE = (
    "A goose and a hedgehog shared a barn, and neither could abide the other's singing.\n"
    "They agreed that whoever was silent until the moon was round should have the barn.\n\n"
    "The goose lasted a week. The hedgehog had gone to sleep for the winter, and won."
)
KING = (
    "A king without a country walked from door to door and offered his crown for bread.\n"
    "At the seventh door a girl gave him bread and would not have the crown, because it\n"
    "was too small for her head and too heavy for her hand. So he stayed and baked."
)


def join(*parts, gap=4):
    return ("\n" * (gap + 1)).join(parts)
