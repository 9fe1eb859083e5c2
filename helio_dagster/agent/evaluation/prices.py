"""What the tokens of a model cost, by the price list that pydantic-ai brings along."""

from __future__ import annotations

from decimal import Decimal


def price_usd(model: str, *, input_tokens: int, cached_tokens: int, output_tokens: int) -> Decimal | None:
    """The price in US dollars; None where the list does not know the model.

    Parameters
    ----------
    model
        Its name in records, such as `google:gemini-3.8-flash`.
    input_tokens
        Tokens sent, with those that came from the provider's cache.
    cached_tokens
        Tokens sent that came from the provider's cache.
    output_tokens
        Tokens written.
    """
    from genai_prices import Usage, calc_price

    provider, _, name = model.partition(":")
    usage = Usage(input_tokens=input_tokens, cache_read_tokens=cached_tokens, output_tokens=output_tokens)
    try:
        return calc_price(usage, name, provider_id=provider).total_price
    except LookupError:
        return None
